import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// Numbers in the library's own tables that it never wrote: each is a typed error, none a trap or an endless loop.
struct DamagedNumberTests {
  private let id = RecordID.numbered(1)

  private static let statements = [
    "UPDATE rejoin_change SET replica = 'x'", "UPDATE rejoin_change SET replica = x'00'",
    "UPDATE rejoin_change SET replica = 1.5",
    "UPDATE rejoin_change SET time = \(Int64.max)", "UPDATE rejoin_change SET space = 'x'",
    "UPDATE rejoin_replica SET commits = \(Int64.max)", "UPDATE rejoin_replica SET commits = -1",
    "UPDATE rejoin_replica SET commits = 'x'", "UPDATE rejoin_replica SET last_time = \(Int64.max)",
    "UPDATE rejoin_replica SET last_time = 'x'", "UPDATE rejoin_replica SET last_due = \(Int64.max)",
    "UPDATE rejoin_replica SET dataset_chosen = 'x'",
    "UPDATE rejoin_vector SET time = \(Int64.max)", "UPDATE rejoin_vector SET time = 'x'",
    "UPDATE rejoin_space SET number = \(Int64.max) WHERE kind = 'log'",
    "UPDATE rejoin_space SET number = -1 WHERE kind = 'log'", "UPDATE rejoin_column SET space = 'x'",
    "UPDATE rejoin_log SET time = \(Int64.max)", "UPDATE rejoin_log SET replica = 'x'",
    "UPDATE rejoin_waiting SET time = \(Int64.min)", "UPDATE rejoin_waiting SET time = -1.5",
    "UPDATE rejoin_waiting SET replica = 'x', time = \(Int64.min + 1)",
  ]

  @Test(.timeLimit(.minutes(1)), arguments: statements)
  func `a number that the library never wrote is damage`(_ statement: String) throws {
    try withStores(.sqlite) { stores in
      let fast = Replica(configuration: stores.configuration(clock: FixtureEnvironment(ahead: 3_600_000)))
      try fast.insert(Account(id: .numbered(2), email: "from the future"))
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "a"))
      try replica.append(["a": 1], to: "activity")
      try replica.merge(fast.delta())
      try stores.sql(statement)
      // One that has the file open may not need the number again; one that opens it does.
      _ = try visit(replica, stores)
      #expect(try visit(stores.replica(), stores))
    }
  }

  /// Whether a visit meets damage.
  private func visit(_ replica: @autoclosure () throws -> Replica, _ stores: Stores) throws -> Bool {
    do {
      try readAndWrite(replica())
      return false
    } catch StoreError.damaged(stores.path("one"), _) {
      return true
    }
  }

  /// Everything that reads or computes with a number.
  private func readAndWrite(_ replica: Replica) throws {
    _ = try replica.delta()
    _ = try replica.log("activity")
    try replica.insert(["size": 1], id: replica.newID(), in: "things")
    _ = try replica.inspect()
  }
}
