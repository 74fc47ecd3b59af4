import Foundation
import Rejoin
import RejoinCore
import RejoinSQLite

/// The child process of tests that kill one, or that let two work on one file.
///
/// It is no part of the product.
///
/// - `write FILE SEED`: writes for ever, and prints the number of each write once it is acknowledged.
/// - `sync FILE PEER SEED`: writes into one file and syncs it with another for ever, and prints as above once both have it.
/// - `exchange FILE URL SEED`: writes into a file and exchanges with a server for ever, and prints as above what is in
///   the file.
/// - `load FILE URL`: exchanges once with a server, in pages of 100 rows, and prints how many rows came.
/// - `share FILE SECONDS`: eight tasks write, merge and read for some seconds, then prints how often each counted up.
@main
enum Worker {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let mode = arguments.first, arguments.count >= 3 else { exit(2) }
    let rest = Array(arguments.dropFirst())
    switch mode {
    case "write":
      var writer = try Acknowledging(rest[0], peer: nil, seed: rest[1])
      try writer.run()
    case "sync":
      var writer = try Acknowledging(rest[0], peer: rest[1], seed: rest[2])
      try writer.run()
    case "exchange": try await Exchanging(rest[0], server: rest[1], seed: rest[2]).run()
    case "load": try await Exchanging(rest[0], server: rest[1], seed: "load").load()
    case "share": try await Sharing(rest[0], seconds: Double(rest[1]) ?? 1).run()
    default: exit(2)
    }
  }

  /// Prints a line and makes sure that it is out before anything else happens.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// Writes numbers one after the other and says each once it is safe.
struct Acknowledging {
  private let replica: Replica
  private let peer: Replica?
  private var generator: SplitMix64

  init(_ path: String, peer: String?, seed: String) throws {
    let configuration = ReplicaConfiguration(dataset: DatasetID(name: "worker"))
    replica = try Replica(at: path, configuration: configuration)
    self.peer = try peer.map { try Replica(at: $0, configuration: configuration) }
    generator = SplitMix64(seed: UInt64(seed) ?? 0)
  }

  mutating func run() throws {
    var number = Int64(try replica.log("numbers").count)
    while true {
      let id = RecordID.derived(from: "\(number)", in: "numbers")
      let earlier = RecordID.derived(from: "\(generator.number(below: Int(number) + 1))", in: "numbers")
      try replica.write { transaction in
        try transaction.append(["number": .int(number)], to: "numbers")
        try transaction.insert(["number": .int(number)], id: id, in: "numbers")
        if generator.succeeds(percent: 30) {
          try transaction.set(["touched": .int(number)], id: earlier, in: "numbers")
        }
      }
      if let peer { try replica.sync(with: peer) }
      Worker.say("\(number)")
      number += 1
    }
  }
}

/// Eight tasks on one file, beside those of another process.
struct Sharing {
  private static let counter = RecordID.derived(from: "counter", in: "shared")
  private let replica: Replica
  private let seconds: Double

  init(_ path: String, seconds: Double) throws {
    replica = try Sharing.patiently {
      try Replica(
        at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")), durability: .normal
      )
    }
    self.seconds = seconds
  }

  /// Tries again as long as the file is busy, which a slow disk can make it for longer than a write waits: the test is
  /// about counts, not about times.
  private static func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
      do {
        return try body()
      } catch let error as SQLiteError where error.kind == .busy {
        continue
      }
    }
  }

  func run() async throws {
    let end = Date().addingTimeInterval(seconds)
    let replica = replica
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask { try Sharing.work(as: task, on: replica, until: end) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    Worker.say("\(counts.reduce(0, +))")
  }

  /// Counts up the shared record in transactions, merges from a replica of its own, and reads.
  private static func work(as task: Int, on replica: Replica, until end: Date) throws -> Int {
    let own = Replica(configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")))
    var count = 0
    while Date() < end {
      try patiently {
        try replica.write { transaction in
          guard let fields = try transaction.fields(of: counter, in: "shared") else {
            return try transaction.insert(["count": 1], id: counter, in: "shared")
          }
          guard case .int(let value)? = fields["count"] else { return }
          try transaction.set(["count": .int(value + 1)], id: counter, in: "shared")
        }
      }
      count += 1
      try own.append(["task": .int(Int64(task))], to: "merged")
      _ = try patiently { try replica.merge(own.delta(since: replica.version)) }
      _ = try patiently { try replica.fields(of: counter, in: "shared") }
    }
    return count
  }
}
