public import RejoinTesting

/// M14': notes that go to a bin when they are deleted, with a digest of all notes; the mutant's leaves out the bin.
///
/// Whoever has never seen a note and whoever has deleted it then look the same, and never tell each other. Found in
/// Scylla (issue 182), whose digests had only live data: replicas that differed in deletions alone looked the same.
public struct TombstonelessDigest<Variant: Twin>: Digestible, Hashable {
  /// What users do.
  public enum Operation: Hashable, Sendable {
    /// Writes a note, unless it was ever there.
    case write(Int)
    /// Puts a note into the bin, if it is there.
    case delete(Int)
  }

  /// What users see.
  public struct Notes: Hashable, Sendable {
    /// Those that are there.
    public var live: [Int]

    /// Those in the bin.
    public var deleted: [Int]
  }

  private var written: Set<Int> = []
  private var deleted: Set<Int> = []

  /// An empty replica.
  public init(replica number: Int, of count: Int) {}

  /// Writes or deletes one of two notes.
  public func operation(_ choices: inout Choices) -> Operation {
    choices.element(of: [.write(1), .delete(1), .write(2), .delete(2)])
  }

  /// Writes or deletes.
  public mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    switch operation {
    case .write(let note): written.insert(note)
    case .delete(let note): if written.contains(note) { deleted.insert(note) }
    }
  }

  /// Keeps all notes of both, and both bins.
  public mutating func merge(_ other: TombstonelessDigest) {
    written.formUnion(other.written)
    deleted.formUnion(other.deleted)
  }

  /// A bit for each live note, and others for the bin.
  public var digest: UInt64 {
    let live = observation.live.reduce(UInt64(0)) { $0 | 1 << $1 }
    let bin = deleted.reduce(UInt64(0)) { $0 | 1 << $1 }
    return Variant.isMutant ? live : live | bin << 32
  }

  /// The notes and the bin.
  public var observation: Notes {
    Notes(live: written.subtracting(deleted).sorted(), deleted: deleted.sorted())
  }

  /// What the operations make of an empty list and an empty bin.
  public static func expected(after operations: [Operation]) -> Notes? {
    var notes: [Int: Bool] = [:]
    for operation in operations {
      switch operation {
      case .write(let note): if notes[note] == nil { notes[note] = true }
      case .delete(let note): if notes[note] != nil { notes[note] = false }
      }
    }
    let sorted = notes.sorted { $0.key < $1.key }
    return Notes(live: sorted.filter(\.value).map(\.key), deleted: sorted.filter { !$0.value }.map(\.key))
  }

  /// A note is in the bin exactly if it was deleted by somebody who had seen it, and else where it was written.
  public static func objection(to observation: Notes, after past: Past<Operation>) -> String? {
    var right = Notes(live: [], deleted: [])
    for note in 1...2 {
      let written = past.events.filter { $0.operation == .write(note) }
      let deletions = past.events.filter { $0.operation == .delete(note) }
      let isDeleted = written.contains { write in deletions.contains { past.precedes(write, $0) } }
      if isDeleted { right.deleted.append(note) } else if !written.isEmpty { right.live.append(note) }
    }
    return observation == right ? nil : "it should be \(right)"
  }
}
