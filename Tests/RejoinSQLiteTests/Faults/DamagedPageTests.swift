import RejoinTesting
import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport
import Testing

/// Pages of the file that a failing medium changed: typed errors, and nothing worse than the damage itself.
struct DamagedPageTests {
  private static let pageSize = 4_096

  @Test func `whichever page is rubbish, errors are typed and a failed write leaves the rest as it was`()
    throws
  {
    let world = try FaultWorld()
    let before = try FileContents(of: world.disk.copy())
    let pageCount = try #require(world.disk.size(of: FaultWorld.file)) / DamagedPageTests.pageSize
    #expect(pageCount > 10)
    var failures = 0
    for page in 0..<pageCount {
      let disk = world.disk.copy()
      let start = page * DamagedPageTests.pageSize
      let range = start..<start + DamagedPageTests.pageSize
      let bytes = range.map { disk.byte(at: $0, of: FaultWorld.file) ?? 0 }
      var generator = SplitMix64(seed: UInt64(page))
      for offset in range {
        disk.setByte(UInt8(truncatingIfNeeded: generator.next()), at: offset, of: FaultWorld.file)
      }
      DamageVisit.read(disk)
      var replica: Replica?
      let error = anyFailure {
        try world.run(.write, with: &replica, on: disk)
      }
      replica = nil
      guard let error else { continue }
      failures += 1
      DamageVisit.expectTyped(error, "page \(page)")
      for (offset, byte) in zip(range, bytes) { disk.setByte(byte, at: offset, of: FaultWorld.file) }
      #expect(try FileContents(of: disk) == before, "page \(page)")
    }
    #expect(failures > pageCount / 2)
  }

  @Test func `a damaged collection leaves the others readable, and says so itself`() throws {
    let world = try FaultWorld()
    let disk = world.disk.copy()
    let other = RecordID.numbered(40)
    try FaultWorld.open(disk).insert(["size": 1], id: other, in: "things")
    try damage(table: "accounts", on: disk)
    let replica = try FaultWorld.open(disk)
    #expect(throws: SQLiteError.self) { try replica.records(in: "accounts") }
    #expect(throws: SQLiteError.self) { try replica.digest() }
    #expect(try replica.fields(of: other, in: "things") == ["size": 1])
    #expect(try replica.log("activity").count == 1)
    try replica.set(["size": 2], id: other, in: "things")
    #expect(try replica.fields(of: other, in: "things") == ["size": 2])
    let error = anyFailure { _ = try replica.fields(of: .numbered(1), in: "accounts") }
    #expect((error as? SQLiteError)?.kind == .corrupt)
    let findings = try replica.inspect().findings
    #expect(findings.contains { if case .unreadable = $0 { true } else { false } })
  }

  @Test func `a damaged change index is told at once, since deltas depend on it`() throws {
    let disk = try FaultWorld().disk.copy()
    try damage(table: "rejoin_change", on: disk)
    let error = anyFailure { _ = try FaultWorld.open(disk) }
    #expect((error as? SQLiteError)?.kind == .corrupt)
  }

  @Test func `a damaged header of the file is refused as something else than a replica`() throws {
    let world = try FaultWorld()
    for offset in 0..<16 {
      let disk = world.disk.copy()
      disk.setByte(0xff, at: offset, of: FaultWorld.file)
      let error = anyFailure { _ = try FaultWorld.open(disk) }
      #expect((error as? SQLiteError)?.kind == .notADatabase, "\(offset)")
      disk.setByte(world.disk.byte(at: offset, of: FaultWorld.file) ?? 0, at: offset, of: FaultWorld.file)
      #expect(try FileContents(of: disk) == FileContents(of: world.disk.copy()))
    }
  }

  @Test(arguments: Seeds.chunks(count: 400, size: 100))
  func `any few bytes changed anywhere never trap, and errors are typed`(_ chunk: Seeds.Chunk) throws {
    let world = try FaultWorld()
    let size = try #require(world.disk.size(of: FaultWorld.file))
    for seed in chunk.seeds {
      var generator = SplitMix64(seed: seed)
      let disk = world.disk.copy()
      for _ in 0...generator.number(below: 3) {
        let byte = UInt8(truncatingIfNeeded: generator.next())
        disk.setByte(byte, at: generator.number(below: size), of: FaultWorld.file)
      }
      DamageVisit.read(disk)
      for scenario in [FaultScenario.write, .merge, .declareMore] {
        var replica: Replica?
        let error = anyFailure { try world.run(scenario, with: &replica, on: disk) }
        if let error { DamageVisit.expectTyped(error, Seeds.replay(seed, suite: "DamagedPageTests")) }
      }
      DamageVisit.read(disk)
    }
  }

  /// Overwrites the root page of a table.
  private func damage(table: String, on disk: FaultyDisk) throws {
    let connection = try disk.connection(FaultWorld.file)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try connection.number("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    let start = (Int(root) - 1) * DamagedPageTests.pageSize
    for offset in start..<start + DamagedPageTests.pageSize {
      disk.setByte(0xa5, at: offset, of: FaultWorld.file)
    }
  }
}

/// What a visitor of a damaged file does.
enum DamageVisit {
  /// Reads everything there is to read, as far as it can be read.
  static func read(_ disk: FaultyDisk) {
    let visits: [(Replica) throws -> Void] = [
      { replica in for collection in try replica.collections() { _ = try replica.records(in: collection) } },
      { replica in for log in try replica.logs() { _ = try replica.log(log) } },
      { _ = try $0.delta().encoded() }, { _ = try $0.trace() }, { _ = try $0.inspect() },
      { _ = try $0.label(at: $0.lastTime) },
    ]
    guard let replica = attempt({ try FaultWorld.open(disk) }) else { return }
    for visit in visits { attempt { try visit(replica) } }
  }

  @discardableResult
  private static func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      expectTyped(error, "reading")
      return nil
    }
  }

  /// Errors of the store, and of the replica where the damage looks like other data.
  static func expectTyped(_ error: any Error, _ comment: String) {
    switch error {
    case let error as SQLiteError: #expect(error.path.hasSuffix(FaultWorld.file), "\(comment): \(error)")
    case is StoreError, is ReplicaError: break
    default: Issue.record("\(comment): \(error)")
    }
  }
}
