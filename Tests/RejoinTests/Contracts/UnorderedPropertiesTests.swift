import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Sets and dictionaries that are equal are one value, in whatever order they iterate.
struct UnorderedPropertiesTests {
  private struct Tagged: Record {
    static let collection: Collection = "tagged"
    var id: RecordID
    var tags: Set<String>
    var counts: [Int: String]
  }

  @Test func `storing an equal set or dictionary again writes nothing`() throws {
    let replica = Replica(configuration: SimulatedEnvironment(seed: 1).configuration())
    let id = replica.newID()
    let tags = (0..<40).map { "tag \($0)" }
    let counts = (0..<40).map { ($0, "count \($0)") }
    try replica.insert(Tagged(id: id, tags: Set(tags), counts: Dictionary(uniqueKeysWithValues: counts)))
    let version = replica.version
    for _ in 0..<20 {
      // Grown one by one in another order, they iterate differently.
      let record = Tagged(
        id: id, tags: tags.shuffled().reduce(into: []) { $0.insert($1) },
        counts: counts.shuffled().reduce(into: [:]) { $0[$1.0] = $1.1 })
      try replica.upsert(record)
      #expect(try replica.get(Tagged.self, id)?.tags == record.tags)
      #expect(try replica.get(Tagged.self, id)?.counts == record.counts)
    }
    #expect(replica.version == version)
  }
}
