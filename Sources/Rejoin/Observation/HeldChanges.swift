import RejoinCore
import Synchronization

/// What several transactions changed that observers are told of together: the pages of a load.
///
/// It is told when the load ends, and before anything else is told, so that observers hear of everything in order of
/// commit. A record that changes twice is told twice.
struct HeldChanges {
  private(set) var changes = ChangeSet(cause: .merge, records: [], entries: [])
  private var keys: Set<RecordKey> = []

  /// Adds changes; false, and nothing is added, where one of the records is held already.
  mutating func add(_ new: ChangeSet) -> Bool {
    guard !new.records.contains(where: { keys.contains($0.key) }) else { return false }
    keys.formUnion(new.records.lazy.map(\.key))
    changes.records += new.records
    changes.entries += new.entries
    return true
  }
}

extension Engine {
  /// Keeps changes to be told later, where anybody listens.
  mutating func hold(_ changes: ChangeSet) {
    guard !changes.isEmpty, !observers.isEmpty else { return }
    guard !held.add(changes) else { return }
    tellHeld()
    _ = held.add(changes)
  }

  /// Tells what was held.
  mutating func tellHeld() {
    guard !held.changes.isEmpty else { return }
    let changes = held.changes
    held = HeldChanges()
    observers.tell(changes)
  }
}

/// Sees to it that observers are told what a load brought when it ends, also when nobody drives it to its end.
package final class HeldLoad: Sendable {
  private let replica: Replica
  private let isUnderWay = Mutex(false)

  /// Watches over the load of a replica.
  package init(_ replica: Replica) {
    self.replica = replica
  }

  /// Says that there will be something to tell.
  package func begin() {
    isUnderWay.withLock { $0 = true }
  }

  /// Tells what was held.
  package func end() {
    isUnderWay.withLock { $0 = false }
    replica.withEngine { $0.tellHeld() }
  }

  deinit {
    guard isUnderWay.withLock({ $0 }) else { return }
    // It may go while the lock is held; leave before taking it.
    Task { [replica] in replica.withEngine { $0.tellHeld() } }
  }
}
