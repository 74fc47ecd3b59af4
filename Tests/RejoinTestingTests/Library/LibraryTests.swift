import LibrarySubjects
import RejoinTesting
import Testing

/// The library's own types under its own kit.
///
/// `REJOIN_CASES=100000 swift test -c release --filter LibraryTests` tests longer.
struct LibraryTests {
  @Test(arguments: LibrarySubject.lattices, TestSeeds.seeds(1))
  func `every lattice keeps all promises`(_ subject: LibrarySubject, seed: UInt64) throws {
    try check(subject, seed: seed)
  }

  @Test(arguments: LibrarySubject.replicas, TestSeeds.seeds(1))
  func `a replica keeps all promises in memory, on a file and among clocks that drift`(
    _ subject: LibrarySubject, seed: UInt64
  ) throws {
    try check(subject, seed: seed)
  }

  @Test(arguments: LibrarySubject.simulations, TestSeeds.seeds(1))
  func `simulated replicas keep all promises`(_ subject: LibrarySubject, seed: UInt64) throws {
    try check(subject, seed: seed)
  }

  private func check(_ subject: LibrarySubject, seed: UInt64) throws {
    let report = subject.run(seed, TestSeeds.cases(subject.usualCases))
    guard let counterexample = report.counterexample else { return }
    Attachment.record(counterexample.description, named: "\(subject), seed \(seed).txt")
    Attachment.record(counterexample.picture, named: "\(subject), seed \(seed).svg")
    throw counterexample
  }
}
