import Foundation
import RejoinCore
import RejoinOutbox
import Synchronization

/// How long each part of the load took.
struct LoadCost {
  /// Waiting for the server's answer.
  var network = Duration.zero
  /// From the bytes of the answer to rows.
  var decoding = Duration.zero
  /// The transactions: from rows to what is stored, durably.
  var store = Duration.zero
  /// The same rows into a table of SQLite alone.
  var raw = Duration.zero

  /// What the load itself took.
  var total: Duration { network + decoding + store }

  static func - (left: LoadCost, right: LoadCost) -> LoadCost {
    var cost = left
    cost.network -= right.network
    cost.decoding -= right.decoding
    cost.store -= right.store
    cost.raw -= right.raw
    return cost
  }
}

/// The default dialect, which also says how long the decoding of pages took.
final class TimedDialect: Dialect {
  private let base = MutationsDialect()
  private let spent = Mutex(Duration.zero)

  /// What the decoding took since this was last asked.
  func takeSpent() -> Duration {
    spent.withLock { spent in
      defer { spent = .zero }
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

  func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest {
    base.pull(from: cursor, configuration)
  }

  func page(in response: HTTPResponse) throws(ForeignAnswer) -> PullPage {
    let start = ContinuousClock.now
    let page = try base.page(in: response)
    let time = ContinuousClock.now - start
    spent.withLock { $0 += time }
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
