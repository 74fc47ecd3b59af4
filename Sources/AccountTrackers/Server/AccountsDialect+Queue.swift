public import RejoinCore
public import RejoinOutbox

extension AccountsDialect {
  /// The change as document 000's queue holds it.
  public func item(of change: QueuedChange) -> JSON {
    let entry = change.entry
    let operation: JSON =
      switch entry.operation {
      case .insert: "create"
      case .update: "update"
      case .delete: "delete"
      }
    var members: [JSON.Member] = [
      JSON.Member("id", .string(entry.id.description)),
      JSON.Member("entityType", entry.subject.entity == names.accounts ? "account" : "tracker"),
      JSON.Member("entityId", .string(entry.entityID)), JSON.Member("operation", operation),
      JSON.Member("payload", .object(entry.wirePayload)),
      JSON.Member("clientTimestamp", .int(entry.createdAt)), JSON.Member("createdAt", .int(change.since)),
      JSON.Member("status", .string(status(of: change))),
      JSON.Member("retryCount", .int(Int64(change.attempts))),
    ]
    if let time = change.lastAttemptAt { members.append(JSON.Member("lastAttemptAt", .int(time))) }
    if let error = change.lastError { members.append(JSON.Member("errorMessage", .string(error))) }
    return .object(members)
  }

  private func status(of change: QueuedChange) -> String {
    switch change.status {
    case .pending: change.attempts > 0 ? "failed" : "pending"
    case .sending: "syncing"
    case .conflict, .dead: "conflict"
    }
  }
}
