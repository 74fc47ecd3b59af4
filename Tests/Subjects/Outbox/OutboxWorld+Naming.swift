import Rejoin
import RejoinCore
import RejoinOutbox

/// What histories call records: one row of the server has one name, under whichever id a device knows it.
///
/// Where the server repeats no device's id, others than the one that made a record know it by an id that is derived from
/// the server's.
extension OutboxWorld {
  func name(of id: RecordID, in collection: Collection) -> String {
    let locals = tongue == .accounts ? server.localIDs[collection.text] ?? [:] : [:]
    let local = locals.first { RecordID.derived(from: $0.key, in: collection.text) == id }?.value
    return "\(collection)/\(local ?? id.description)"
  }

  func name(of subject: Subject) -> String {
    switch subject {
    case .record(let key): name(of: key.id, in: key.collection)
    case .entry(let key): "\(key.log)/\(key.id)"
    }
  }

  /// The ids under which devices may know a record.
  func ids(of name: String) -> [RecordID] {
    let parts = name.split(separator: "/").map(String.init)
    guard let id = RecordID(parts[1]) else { return [] }
    guard tongue == .accounts, let row = server.names[parts[0]]?[parts[1]] else { return [id] }
    return [id, .derived(from: row, in: parts[0])]
  }
}
