import RejoinCore
package import RejoinTesting

/// A type of this library that is tested like anybody's.
package struct LibrarySubject: Sendable, CustomStringConvertible {
  /// What it is.
  package let description: String

  /// How many histories a test usually runs: a second or two of them.
  package let usualCases: Int

  /// Tests some histories of it.
  package let run: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

  private init<Subject: ReplicatedType>(
    _ description: String, _ type: Subject.Type, options: TestOptions = TestOptions(), usualCases: Int
  ) {
    self.description = description
    self.usualCases = usualCases
    run = { seed, cases in PropertyTest(type, options: options).run(seed: seed, cases: cases) }
  }

  /// The lattices by themselves.
  package static let lattices = [
    LibrarySubject("LWWMap", KeyedSubject<LWWMap<Int>>.self, usualCases: 300),
    LibrarySubject("GrowOnlySet", KeyedSubject<GrowOnlySet<Int>>.self, usualCases: 300),
    LibrarySubject("TombstoneSet", LivesSubject.self, usualCases: 300),
    LibrarySubject("VersionVector", VectorSubject.self, usualCases: 300),
    LibrarySubject("ReplicaState", StateSubject.self, usualCases: 100),
    LibrarySubject("PackedRecord", PackedSubject.self, usualCases: 100),
    LibrarySubject("CounterReplica", LibraryCounter.self, usualCases: 300),
    LibrarySubject("SetReplica", LibrarySet.self, usualCases: 300),
  ]

  /// Whole replicas: on each of the stores, and with clocks that drift too far.
  package static let replicas = [
    LibrarySubject("MemoryReplica", SimulatedReplica<MemoryStorage>.self, usualCases: 100),
    LibrarySubject("SQLiteReplica", SimulatedReplica<DiskStorage>.self, usualCases: 30),
    LibrarySubject("DriftingReplica", DriftingReplica.self, usualCases: 100),
    LibrarySubject("Authority", AuthoritySubject.self, usualCases: 200),
  ]

  /// Three to six replicas that meet in pairs, rings, stars and meshes, leave and come back; in memory, and on files of
  /// a disk that fails, fills up, is busy, and loses its power.
  package static let simulations = [
    LibrarySubject(
      "Simulation", SimulatedReplica<MemoryStorage>.self, options: Simulation.soak, usualCases: 200),
    LibrarySubject(
      "DiskSimulation", SimulatedReplica<DiskStorage>.self, options: Simulation.soak, usualCases: 20),
  ]

  /// All of them.
  package static var all: [LibrarySubject] { lattices + replicas + simulations }
}
