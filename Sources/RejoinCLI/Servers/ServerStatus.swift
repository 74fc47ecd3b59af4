import Rejoin
import RejoinCore
import RejoinOutbox

/// How a replica and one of its plain servers stand to each other, in numbers.
struct ServerStatus {
  private let name: String
  private let status: OutboxStatus
  private let refused: Int
  private let quarantined: Int

  /// Counts; what travels to the server is what the last exchange said.
  init(_ name: String, of replica: Replica) throws {
    let outbox = try ServerScope(server: name).outbox(of: replica)
    self.name = name
    status = try outbox.status()
    refused = try outbox.deadLetters().count
    quarantined = try outbox.quarantined().count
  }

  /// One line of text.
  var line: String {
    "server \(Form.quoted(name)): \(status.waiting) waiting, \(Form.needing(status.needsAttention)), "
      + "\(refused) refused, \(Form.count(quarantined, "row")) not understood"
  }

  /// One object.
  var json: JSON {
    [
      "name": .string(name), "waiting": .int(Int64(status.waiting)),
      "needs_attention": .int(Int64(status.needsAttention)), "refused": .int(Int64(refused)),
      "quarantined": .int(Int64(quarantined)),
    ]
  }
}
