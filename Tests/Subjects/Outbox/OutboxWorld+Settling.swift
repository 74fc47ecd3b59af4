import Rejoin
import RejoinCore
import RejoinOutbox

/// Everybody exchanges over a good network and meets everybody, until nothing more happens.
extension OutboxWorld {
  /// Long enough for every wait, in milliseconds.
  private static let patience: Int64 = 120_000

  mutating func settle() throws {
    (server.circles, server.quarrels) = (0, 0)
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
          // Where a pull is a list, or begins a little before its cursor, rows come again and again.
          let hasRows = report.pull.rows > 0 && tongue != .upserts && tongue != .accounts
          if report.push.requests > 0 || hasRows { isQuiet = false }
        }
      }
      for left in devices.indices {
        for right in devices.indices where left < right && tongue != .accounts {
          let (here, there) = try devices[left].outbox.replica.sync(with: devices[right].outbox.replica)
          if !here.changes.isEmpty || !there.changes.isEmpty {
            trace.append(
              "\(left) and \(right) tell each other \((here.changes.records + there.changes.records))")
            isQuiet = false
          }
        }
      }
      if isQuiet { return }
    }
    throw Failure(description: "it never comes to rest")
  }

  /// What was refused only because the network lied is sent again by hand; the rest stays or is decided.
  private mutating func decideLast(at number: Int, round: Int) throws -> Bool {
    var hasDecided = try round < 3 && endConflicts(at: number)
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

  /// Where again and again the server had changed a record, somebody writes once more, sends it again or gives it up.
  private mutating func endConflicts(at number: Int) throws -> Bool {
    var hasWritten = try tongue == .accounts && retryConflicts(at: number)
    for record in try devices[number].outbox.replica.records(in: Self.collection)
    where try devices[number].outbox.state(of: record.id, in: Self.collection) == .conflict && below(2) == 0 {
      hasWritten = true
      switch below(4) {
      case 0:
        trace.append("\(number) retries \(record.id)")
        try devices[number].outbox.retry(record.id, in: Self.collection)
      case 1:
        trace.append("\(number) gives up \(record.id)")
        try closeShown(of: record.id, in: Self.collection, at: number)
        try devices[number].outbox.discard(record.id, in: Self.collection)
      default:
        let value = fates?.next(0) ?? Int64(below(3))
        try set("a", of: record.id, to: .int(value), in: Self.collection, at: number)
      }
    }
    return hasWritten
  }

  /// What was put off too often may be on the server, where nobody could tell it from somebody else's: it is sent again.
  private mutating func retryConflicts(at number: Int) throws -> Bool {
    var hasRetried = false
    for collection in [Self.collection, Self.children] {
      for record in try devices[number].outbox.replica.records(in: collection, includingDeleted: true)
      where try devices[number].outbox.state(of: record.id, in: collection) == .conflict {
        trace.append("\(number) retries \(record.id)")
        try devices[number].outbox.retry(record.id, in: collection)
        hasRetried = true
      }
    }
    return hasRetried
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
      try receive(answer(request, fault: .none, to: number), to: request, in: &cycle, at: number)
    }
    return cycle.report
  }
}
