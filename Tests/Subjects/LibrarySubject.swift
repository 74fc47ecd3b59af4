import RejoinCore
package import RejoinTesting

/// A type of this library that is tested like anybody's.
package struct LibrarySubject: Sendable, CustomStringConvertible {
  /// What it is.
  package let description: String

  /// Whether a history of it takes long: it has a disk.
  package let isSlow: Bool

  /// Tests some histories of it.
  package let run: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

  private init<Subject: ReplicatedType>(_ description: String, _ type: Subject.Type, isSlow: Bool = false) {
    self.description = description
    self.isSlow = isSlow
    run = { seed, cases in PropertyTest(type).run(seed: seed, cases: cases) }
  }

  /// The lattices by themselves.
  package static let lattices = [
    LibrarySubject("LWWMap", KeyedSubject<LWWMap<Int>>.self),
    LibrarySubject("GrowOnlySet", KeyedSubject<GrowOnlySet<Int>>.self),
    LibrarySubject("TombstoneSet", LivesSubject.self),
    LibrarySubject("VersionVector", VectorSubject.self),
    LibrarySubject("ReplicaState", StateSubject.self),
    LibrarySubject("PackedRecord", PackedSubject.self),
  ]

  /// Whole replicas: on each of the stores, and with clocks that drift too far.
  package static let replicas = [
    LibrarySubject("MemoryReplica", EngineSubject<MemoryStorage>.self),
    LibrarySubject("SQLiteReplica", EngineSubject<DiskStorage>.self, isSlow: true),
    LibrarySubject("DriftingReplica", DriftingSubject.self),
  ]
}
