import Foundation
import RejoinCore
import RejoinOutbox
import Synchronization

/// A stretch of time, on the wall and of the process's own work.
struct Spent {
  /// What a clock on the wall says.
  var wall = Duration.zero
  /// How long the process was at work, with all its threads.
  var work = Duration.zero

  /// What `body` takes.
  static func measure<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Spent {
    let start = Spent.now
    try body()
    return Spent.now - start
  }

  /// The beginning of a stretch.
  static var now: Spent {
    let beginning = ContinuousClock.now
    return Spent(
      wall: origin.duration(to: beginning),
      work: .microseconds(Int64(clock()) * 1_000_000 / Int64(CLOCKS_PER_SEC)))
  }

  private static let origin = ContinuousClock.now

  static func + (left: Spent, right: Spent) -> Spent {
    Spent(wall: left.wall + right.wall, work: left.work + right.work)
  }

  static func - (left: Spent, right: Spent) -> Spent {
    Spent(wall: left.wall - right.wall, work: left.work - right.work)
  }
}

/// How long each part of the load took.
struct LoadCost {
  /// Waiting for the server's answer.
  var network = Spent()
  /// From the bytes of the answer to rows.
  var decoding = Spent()
  /// The transactions: from rows to what is stored, durably.
  var store = Spent()
  /// The same rows into a table of SQLite alone.
  var raw = Spent()

  /// What the load itself took.
  var total: Duration { network.wall + decoding.wall + store.wall }

  static func + (left: LoadCost, right: LoadCost) -> LoadCost {
    LoadCost(
      network: left.network + right.network, decoding: left.decoding + right.decoding,
      store: left.store + right.store, raw: left.raw + right.raw)
  }

  static func - (left: LoadCost, right: LoadCost) -> LoadCost {
    LoadCost(
      network: left.network - right.network, decoding: left.decoding - right.decoding,
      store: left.store - right.store, raw: left.raw - right.raw)
  }
}

/// The default dialect, which also says how long the decoding of pages took.
final class TimedDialect: Dialect {
  private let base = MutationsDialect()
  private let spent = Mutex(Spent())

  /// What the decoding took since this was last asked.
  func takeSpent() -> Spent {
    spent.withLock { spent in
      defer { spent = Spent() }
      return spent
    }
  }

  func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    base.push(entries, configuration)
  }

  func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    try base.answers(to: entries, in: response)
  }

  func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    base.pull(from: cursor, configuration)
  }

  func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    let start = Spent.now
    let page = try base.page(in: response, from: cursor)
    let time = Spent.now - start
    spent.withLock { $0 = $0 + time }
    return page
  }

  func saysUnknownCursor(_ response: HTTPResponse) -> Bool { base.saysUnknownCursor(response) }
}

/// What the process holds in memory.
enum ProcessMemory {
  /// The most that was resident so far, in bytes; nil where the system does not say.
  static var peak: Int? { status("VmHWM:") }

  /// What is resident now, in bytes; nil where the system does not say.
  static var now: Int? { status("VmRSS:") }

  private static func status(_ name: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
      .map { $0 * 1_024 }
  }
}

extension Duration {
  var seconds: Double { self / .seconds(1) }
}
