import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A process that is killed takes nothing with it that it was told is saved.
///
/// `REJOIN_SEEDS=15` kills three hundred times each.
struct KillTests {
  private static let suite = "KillTests"

  @Test func `whatever was acknowledged before a kill is there after it`() throws {
    for seed in Seeds.chunks(count: 20).flatMap(\.seeds) {
      try withStores(.sqlite) { stores in
        try run(["write", stores.path("one"), "\(seed)"], seed: seed, replicas: [stores.path("one")])
      }
    }
  }

  @Test func `whatever was acknowledged in two files before a kill is there after it`() throws {
    for seed in Seeds.chunks(count: 20).flatMap(\.seeds) {
      try withStores(.sqlite) { stores in
        let paths = [stores.path("one"), stores.path("two")]
        try run(["sync", paths[0], paths[1], "\(seed)"], seed: seed, replicas: paths)
        let replicas = try paths.map { try Replica(at: $0) }
        try replicas[0].sync(with: replicas[1])
        #expect(try replicas[0].digest() == replicas[1].digest(), "\(Seeds.replay(seed, suite: Self.suite))")
      }
    }
  }

  /// Kills the child several times, each time after a few of its lines, and looks at the files in between.
  private func run(_ arguments: [String], seed: UInt64, replicas: [String]) throws {
    var generator = SplitMix64(seed: seed)
    var acknowledged: Int64 = -1
    for _ in 0..<3 {
      let child = try WorkerProcess(arguments)
      var lines: [String] = []
      for _ in 0..<generator.number(below: 12) { lines += [child.nextLine()].compactMap(\.self) }
      lines += child.kill()
      acknowledged = max(acknowledged, lines.compactMap { Int64($0) }.max() ?? -1)
      for path in replicas {
        try check(path, acknowledged: acknowledged, Seeds.replay(seed, suite: Self.suite))
      }
    }
  }

  private func check(_ path: String, acknowledged: Int64, _ replay: String) throws {
    guard acknowledged >= 0 else { return }
    let replica = try Replica(at: path)
    let numbers = try replica.log("numbers").map { $0.entry.values["number"] }
    #expect(numbers.count > acknowledged, "\(replay)")
    #expect(numbers == numbers.indices.map { .int(Int64($0)) }, "\(replay)")
    for number in 0...acknowledged {
      let id = RecordID.derived(from: "\(number)", in: "numbers")
      #expect(try replica.fields(of: id, in: "numbers")?["number"] == .int(number), "\(replay)")
    }
    #expect(try replica.inspect().findings.isEmpty, "\(replay)")
    let connection = try SQLiteConnection(path: path, access: .read)
    let statement = try connection.prepare("PRAGMA integrity_check")
    #expect(try statement.step() && statement.text(at: 0) == "ok", "\(replay)")
  }
}
