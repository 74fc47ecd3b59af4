import LibrarySubjects
import Rejoin
import RejoinCore
@testable import RejoinTesting
import Synchronization
import Testing

/// A simulated replica notices when its storage does not keep what it promises.
struct StorageFaultTests {
  @Test(arguments: Misfortune.allCases.filter { $0 != .refusal })
  func `a transaction that is struck has happened or not, and both are seen`(misfortune: Misfortune) throws {
    var outcomes: Set<Bool> = []
    for place in 0..<60 {
      var replica = SimulatedReplica<DiskStorage>(replica: 0, of: 2)
      let edit = Edit.suffer(misfortune, after: place, [.insert(record: 0, ["a": 1])])
      replica.apply(edit, clockMilliseconds: 1_000)
      if case .commit = replica.outcome(of: edit) { outcomes.insert(true) } else { outcomes.insert(false) }
      let isThere = replica.observation.records[0]?.fields["a"] == 1
      if case .commit = replica.outcome(of: edit) { #expect(isThere) } else { #expect(!isThere) }
      #expect(replica.observation.fault == nil)
      // It goes on.
      replica.apply(.commit([.insert(record: 1, ["b": 2])]), clockMilliseconds: 2_000)
      #expect(replica.observation.records[1]?.fields["b"] == 2, "\(misfortune) after \(place)")
    }
    #expect(outcomes.contains(true))
    #expect(outcomes.contains(false) || misfortune == .busy)
  }

  @Test func `a refused commit has not happened`() {
    var replica = SimulatedReplica<MemoryStorage>(replica: 0, of: 2)
    let edit = Edit.suffer(.refusal, after: 0, [.insert(record: 0, ["a": 1])])
    replica.apply(edit, clockMilliseconds: 1_000)
    if case .suffer = replica.outcome(of: edit) {} else { Issue.record("it has happened") }
    #expect(replica.observation.records.isEmpty)
  }

  @Test func `a storage that forgets is found`() {
    #expect(oracle(of: ForgetfulStorage.self) != nil)
  }

  @Test func `a storage that acknowledges what it does not commit is found`() {
    #expect(oracle(of: LyingStorage.self) != nil)
  }

  @Test func `a storage that does not tell what commits touch is found`() {
    #expect(oracle(of: SecretiveStorage.self) != nil)
  }

  @Test func `what changes without a commit is found where everything is looked at`() throws {
    var replica = SimulatedReplica<MemoryStorage>(replica: 0, of: 2)
    replica.apply(.commit([.insert(record: 0, ["a": 1])]), clockMilliseconds: 1_000)
    let before = try replica.reading().held
    replica.apply(.commit([.insert(record: 1, ["a": 1])]), clockMilliseconds: 1_000)
    replica.inspect()
    #expect(replica.observation.fault == nil)
    replica.memo.adopt(before)
    replica.inspect()
    #expect(replica.observation.fault == "something changed without a commit")
  }

  private func oracle<Storage: SimulatedStorage>(of storage: Storage.Type) -> Violation.Oracle? {
    let test = PropertyTest(SimulatedReplica<Storage>.self, options: Simulation.soak)
    return test.run(seed: 1, cases: 50).counterexample?.violation.oracle
  }
}

/// Loses everything in a crash.
private struct ForgetfulStorage: SimulatedStorage {
  private let storage = MemoryStorage()

  static var misfortunes: [Misfortune] { [.refusal] }

  func make(_ configuration: ReplicaConfiguration) throws -> Replica { try storage.make(configuration) }

  func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica {
    Replica(configuration: configuration)
  }

  func crash() {}

  func suffer(_ misfortune: Misfortune, after operations: Int, _ body: () throws -> Void) rethrows -> Bool {
    try storage.suffer(misfortune, after: operations, body)
  }

  var commitCount: Int? { nil }
}

/// Does not tell what commits touch.
private struct SecretiveStorage: SimulatedStorage {
  private let storage = MemoryStorage()

  static var misfortunes: [Misfortune] { [.refusal] }

  func make(_ configuration: ReplicaConfiguration) throws -> Replica { try storage.make(configuration) }

  func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica {
    try storage.open(replica, configuration)
  }

  func crash() {}

  func suffer(_ misfortune: Misfortune, after operations: Int, _ body: () throws -> Void) rethrows -> Bool {
    try storage.suffer(misfortune, after: operations, body)
  }

  var commitCount: Int? { storage.commitCount }

  func takeTouched() -> StoreProbe.Touched { StoreProbe.Touched() }
}

/// Keeps everything, but what it acknowledged shortly before a kill.
private final class LyingStorage: SimulatedStorage {
  private let hasStruck = Mutex(false)

  init() {}

  static var misfortunes: [Misfortune] { [.kill] }

  func make(_ configuration: ReplicaConfiguration) throws -> Replica { Replica(configuration: configuration) }

  func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica {
    if hasStruck.withLock({ $0 }) { return Replica(configuration: configuration) }
    return try Replica(store: replica.withStore { $0 }, configuration: configuration)
  }

  func crash() {}

  func suffer(_ misfortune: Misfortune, after operations: Int, _ body: () throws -> Void) rethrows -> Bool {
    try body()
    hasStruck.withLock { $0 = true }
    return true
  }

  var commitCount: Int? { nil }
}
