import CFaultyDisk
package import Rejoin
package import RejoinSQLite

/// A disk in memory under SQLite, whose every operation can be made to fail, and whose power can be cut.
///
/// It numbers the operations of everybody who has a file of it open: open, read, write, sync, lock, rename and so on.
package final class FaultyDisk: Sendable {
  /// What goes wrong.
  package enum Fault: String, CaseIterable, Sendable {
    /// The system reports an error; of a write the first half was done.
    case inputOutput = "I/O error"
    /// No room is left; of a write the first half was done.
    case full = "disk full"
    /// Somebody else holds the lock.
    case busy
    /// The file system became read-only.
    case readOnly = "read-only"
    /// A sync fails, and what it should have written never becomes durable, not even by the next sync.
    case lostSync = "lost sync"
    /// The power fails: nothing works until the restart, and of what was not synced a part survives.
    case powerCut = "power cut"
    /// The process dies: nothing works until the restart, and all that was written survives.
    case kill

    /// Whether nothing works any more until the restart.
    package var endsTheProcess: Bool { self == .powerCut || self == .kill }

    fileprivate var kind: faulty_kind {
      switch self {
      case .inputOutput: FAULTY_IO
      case .full: FAULTY_FULL
      case .busy: FAULTY_BUSY
      case .readOnly: FAULTY_READ_ONLY
      case .lostSync: FAULTY_LOST_SYNC
      case .powerCut: FAULTY_POWER_CUT
      case .kill: FAULTY_KILL
      }
    }
  }

  private let number: Int32
  private let sharesMemory: Bool

  /// Makes an empty disk; without shared memory SQLite cannot have a write-ahead log on it.
  package convenience init(sharesMemory: Bool = true) {
    self.init(number: faulty_disk_make(), sharesMemory: sharesMemory)
  }

  private init(number: Int32, sharesMemory: Bool) {
    self.number = number
    self.sharesMemory = sharesMemory
  }

  deinit {
    faulty_disk_release(number)
  }

  /// A disk with the same files, synced or not as they are; nobody has them open.
  package func copy() -> FaultyDisk {
    FaultyDisk(number: faulty_disk_copy(number), sharesMemory: sharesMemory)
  }

  /// What lies under SQLite when it uses this disk, with the library's own calls.
  package var files: FileSystem {
    FileSystem(vfs: sharesMemory ? "faulty" : "faulty-unshared") { call in
      switch call {
      case .lookUp(let path): unsafe faulty_file_look_up(path)
      case .remove(let path): unsafe faulty_file_remove(path)
      case .sync(let path): unsafe faulty_file_sync(path)
      case .syncFolder(let path): unsafe faulty_folder_sync(path)
      case .rename(let path, let other): unsafe faulty_file_rename(path, other)
      }
    }
  }

  /// What SQLite calls a file on this disk.
  package func path(_ name: String) -> String { "faulty/\(number)/\(name)" }

  // MARK: Faults

  /// Counts operations from 1 anew and plans a fault for operation `operation`, or for all from there on.
  ///
  /// A fault strikes only where it can: a lock is never full.
  package func plan(_ fault: Fault, at operation: Int, isLasting: Bool = false) {
    faulty_disk_plan(number, fault.kind, Int64(operation), isLasting ? 1 : 0)
  }

  /// Ends any fault that leaves the process alive, and counts operations from 1 anew.
  package func heal() {
    faulty_disk_plan(number, FAULTY_NONE, 0, 0)
  }

  /// How many operations there were since the last plan.
  package var operationCount: Int { Int(faulty_disk_operations(number)) }

  /// Whether a fault can strike an operation since the last plan.
  package func applies(_ fault: Fault, to operation: Int) -> Bool {
    faulty_disk_applies(number, Int64(operation), fault.kind) != 0
  }

  /// Whether the planned fault has struck.
  package var hasStruck: Bool { faulty_disk_has_struck(number) != 0 }

  /// Starts the disk again after the process died: all that was written is there.
  package func restart() {
    faulty_disk_restart(number, 0, 0)
  }

  /// Starts the disk again after its power was cut; the seed picks what survives that was not synced.
  package func restartAfterPowerCut(seed: UInt64) {
    faulty_disk_restart(number, 1, seed)
  }

  // MARK: Contents

  /// The size of a file; nil when there is none.
  package func size(of name: String) -> Int? {
    let size = unsafe faulty_disk_size(number, name)
    return size < 0 ? nil : Int(size)
  }

  /// A byte of a file; nil when there is none.
  package func byte(at offset: Int, of name: String) -> UInt8? {
    UInt8(exactly: unsafe faulty_disk_byte(number, name, Int64(offset)))
  }

  /// Replaces a byte of a file, as a failing medium does.
  package func setByte(_ byte: UInt8, at offset: Int, of name: String) {
    unsafe faulty_disk_set_byte(number, name, Int64(offset), byte)
  }

  // MARK: Replicas

  /// Opens the replica in a file of this disk, or makes a new one there.
  package func replica(
    _ name: String = "replica", configuration: ReplicaConfiguration, durability: Durability = .full,
    schema: Schema = .current
  ) throws -> Replica {
    try Replica(
      store: try SuspendableStore(path: path(name), durability: durability, files: files, schema: schema),
      configuration: configuration)
  }

  /// Opens a file of this disk past the library.
  package func connection(_ name: String = "replica") throws -> SQLiteConnection {
    try SQLiteConnection(path: path(name), files: files)
  }
}
