import RejoinTesting

/// A last-writer-wins register.
///
/// `Clock` decides when a write happened: Lamport's clock is right, the wall clock is the classic mistake.
struct Register<Clock: RegisterClock>: StateBased {
  enum Operation {
    case set(String)
  }

  private struct Write {
    var time: Int64
    var replica: Int
    var value: String
  }

  private let replica: Int
  private var last: Write?

  init(replica number: Int, of count: Int) { replica = number }

  func operation(_ choices: inout Choices) -> Operation { .set(choices.element(of: ["x", "y", "z"])) }

  mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    guard case .set(let value) = operation else { return }
    merge(
      Write(
        time: Clock.time(after: last?.time ?? 0, clockMilliseconds: clockMilliseconds), replica: replica,
        value: value))
  }

  mutating func merge(_ other: Register) {
    if let write = other.last { merge(write) }
  }

  private mutating func merge(_ write: Write) {
    guard let last, (last.time, last.replica) > (write.time, write.replica) else {
      last = write
      return
    }
  }

  var observation: String { last?.value ?? "empty" }

  static func objection(to observation: String, after past: Past<Operation>) -> String? {
    let latest = past.latest { _ in true }.map { event in
      switch event.operation {
      case .set(let value): value
      }
    }
    return latest.isEmpty || latest.contains(observation) ? nil : "the latest writes are \(latest)"
  }
}

protocol RegisterClock {
  static func time(after last: Int64, clockMilliseconds: Int64) -> Int64
}

enum LamportClock: RegisterClock {
  static func time(after last: Int64, clockMilliseconds: Int64) -> Int64 { last + 1 }
}

enum WallClock: RegisterClock {
  static func time(after last: Int64, clockMilliseconds: Int64) -> Int64 { clockMilliseconds }
}
