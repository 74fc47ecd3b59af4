import Rejoin
import RejoinCore
import RejoinOutbox

/// Everybody exchanges over a good network and meets everybody, until nothing more happens.
extension OutboxWorld {
  /// Long enough for every wait, in milliseconds.
  private static let patience: Int64 = 120_000

  mutating func settle() throws {
    server.circles = 0
    serverOffset = 0
    server.traits.isLagging = false
    for round in 0..<40 {
      trace.append("round \(round) of settling")
      pass(Self.patience)
      var isQuiet = true
      for number in devices.indices {
        if try decideLast(at: number, round: round) { isQuiet = false }
        for _ in 0..<2 {
          let report = try fullCycle(at: number)
          if report.push.requests > 0 || report.pull.rows > 0 { isQuiet = false }
        }
      }
      for left in devices.indices {
        for right in devices.indices where left < right {
          let (here, there) = try devices[left].outbox.replica.sync(with: devices[right].outbox.replica)
          if !here.changes.isEmpty || !there.changes.isEmpty { isQuiet = false }
        }
      }
      if isQuiet { return }
    }
    throw Failure(description: "it never comes to rest")
  }

  /// What was refused only because the network lied is sent again by hand; the rest stays or is decided.
  private mutating func decideLast(at number: Int, round: Int) throws -> Bool {
    var hasDecided = false
    for letter in try devices[number].outbox.deadLetters() {
      let isFinal: Bool
      switch letter.reason {
      case "a value is refused", "malformed": isFinal = true
      case "tooLarge": isFinal = server.traits.byteLimit != nil
      case "a time lies in the future": isFinal = server.traits.remembersRefusals
      case "unknown parent", "gone": isFinal = round > 6
      default: isFinal = false
      }
      guard !isFinal || round < 3 else { continue }
      hasDecided = true
      switch isFinal ? below(4) : 0 {
      case 0: try retry(letter, at: number)
      case 1: try discard(letter, at: number)
      case 2: try edit(letter, at: number)
      default: break
      }
    }
    return hasDecided
  }

  private mutating func fullCycle(at number: Int) throws -> CycleReport {
    var cycle = devices[number].outbox.cycle()
    devices[number].cycle = nil
    devices[number].isPulling = false
    var requests = 0
    while let request = try next(of: &cycle, at: number) {
      requests += 1
      guard requests < 200 else { throw Failure(description: "device \(number) never ends its exchange") }
      if request.method == "POST" {
        trace.append("\(number) sends \(String(decoding: request.body, as: UTF8.self))")
      }
      try receive(server.answer(request, fault: .none, from: number), to: request, in: &cycle, at: number)
    }
    return cycle.report
  }
}
