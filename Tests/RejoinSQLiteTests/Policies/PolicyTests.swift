import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Fields that are only added to, and fields that ask for review.
struct PolicyTests {
  private struct Job: Record, Equatable {
    static let collection: Collection = "jobs"
    static let policies = [
      FieldPolicy(CodingKeys.notes, .append),
      FieldPolicy(CodingKeys.amount, .review, server: .serverWins, onRejection: .rollback),
    ]
    var id: RecordID
    var title: String?
    var amount: Int?
    var notes = AddWinsSet<String>()
  }

  private let job = RecordID.numbered(1)

  private func exchange(_ one: Replica, _ other: Replica) throws {
    for _ in 0..<2 {
      try other.merge(one.delta(since: other.version))
      try one.merge(other.delta(since: one.version))
    }
  }

  private func pair(_ stores: Stores) throws -> (Replica, Replica) {
    let replicas = (try stores.replica("one"), try stores.replica("two"))
    try replicas.0.insert(Job(id: job, title: "roof", amount: 1, notes: AddWinsSet(["seen"])))
    try exchange(replicas.0, replicas.1)
    return replicas
  }

  @Test(arguments: StoreKind.allCases)
  func `what is added apart from each other is all there, and nothing is taken away`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (one, two) = try pair(stores)
      try one.update(Job.self, job) { $0.notes.insert("ladder is short") }
      try two.update(Job.self, job) { $0.notes.insert("tiles ordered") }
      try exchange(one, two)
      let all = AddWinsSet(["seen", "ladder is short", "tiles ordered"])
      for replica in [one, two] { #expect(try replica.get(Job.self, job)?.notes == all) }

      let refusal = ReplicaError.appendOnly(RecordKey("jobs", job), field: "notes")
      let before = try one.trace()
      #expect(throws: refusal) { try one.update(Job.self, job) { $0.notes.remove("seen") } }
      #expect(throws: refusal) { try one.update(Job.self, job) { $0.notes = AddWinsSet(["seen"]) } }
      // Typed use made the policy known for untyped use, too.
      try one.declare(Job.self)
      #expect(throws: refusal) { try one.remove("seen", from: "notes", id: job, in: "jobs") }
      #expect(throws: refusal) { try one.set(["notes": ["seen"]], id: job, in: "jobs") }
      #expect(throws: refusal) { try one.set(["notes": .null], id: job, in: "jobs") }
      #expect(throws: refusal) { try one.set(["notes": 1], id: job, in: "jobs") }
      #expect(throws: refusal) { try one.increment("notes", id: job, in: "jobs") }
      // A plain list would lose what somebody else adds.
      #expect(throws: ReplicaError.appendOnly(RecordKey("jobs", .numbered(2)), field: "notes")) {
        try one.insert(["notes": ["seen"]], id: .numbered(2), in: "jobs")
      }
      #expect(try one.trace() == before)
      try one.set(
        ["notes": ["seen", "ladder is short", "tiles ordered", "paid"]], id: job, in: "jobs")
      #expect(try one.get(Job.self, job)?.notes.count == 4)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record asks for review until somebody has resolved the conflict`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (one, two) = try pair(stores)
      try one.update(Job.self, job) {
        $0.amount = 2; $0.title = "barn roof"
      }
      stores.clock.advance(milliseconds: 10)
      try two.update(Job.self, job) {
        $0.amount = 3; $0.title = "house roof"
      }
      #expect(try one.recordsInReview(Job.self).isEmpty)
      try exchange(one, two)
      for replica in [one, two] {
        #expect(try replica.get(Job.self, job)?.amount == 3)
        #expect(try replica.recordsInReview(Job.self) == [job: ["amount"]], "the title is not declared so")
        #expect(try replica.conflicts().count == 2)
      }
      let conflict = try #require(try one.conflicts().first { $0.field == "amount" })
      #expect(conflict.losingValue == 2)
      try one.resolve(conflict, keeping: .loser)
      try exchange(one, two)
      for replica in [one, two] {
        #expect(try replica.get(Job.self, job)?.amount == 2)
        #expect(try replica.recordsInReview(Job.self).isEmpty)
      }
    }
  }
}
