package import RejoinCore

/// The names of the collections and logs of a file, and of those that a transaction begins: asked of the store once.
final class KnownNames {
  private let store: any Store
  private var collections: Set<Collection>?
  private var logs: Set<LogName>?
  private var last: Collection?

  init(_ store: any Store) {
    self.store = store
  }

  /// Whether a collection is there, or may be begun.
  func admit(_ collection: Collection) throws -> Bool {
    // Rows come one collection after the other.
    if collection == last { return true }
    if collections == nil { collections = Set(try store.collections()) }
    if collections?.contains(collection) != true {
      guard try hasRoom() else { return false }
      collections?.insert(collection)
    }
    last = collection
    return true
  }

  /// Whether a log is there, or may be begun.
  func admit(_ log: LogName) throws -> Bool {
    if logs == nil { logs = Set(try store.logs()) }
    if logs?.contains(log) == true { return true }
    guard try hasRoom() else { return false }
    logs?.insert(log)
    return true
  }

  private func hasRoom() throws -> Bool {
    if collections == nil { collections = Set(try store.collections()) }
    if logs == nil { logs = Set(try store.logs()) }
    return (collections?.count ?? 0) + (logs?.count ?? 0) < Limits.collectionsByServers
  }
}

extension ServerTransaction {
  /// Whether a collection is in the file, or a server may still begin it.
  package func hasRoom(for collection: Collection) throws -> Bool { try names.admit(collection) }

  /// Whether a log is in the file, or a server may still begin it.
  package func hasRoom(for log: LogName) throws -> Bool { try names.admit(log) }

  /// Whether a record could not be deleted or brought back once more.
  package func isOutOfLives(_ record: ServedRecord) -> Bool { (record.life?.count ?? 1) >= Limits.lives }
}
