public import RejoinTesting

/// M12: a counter that sends what the receiver has not yet acknowledged; the mutant forgets its sequence number when it
/// crashes.
///
/// Changes then get numbers that others had before, and an acknowledgement of those is taken for theirs: they are never
/// sent. Source: Almeida, Shoker, Baquero, *Delta State Replicated Data Types* (2018), who warn of it where they say
/// what must be durable.
public struct ForgottenSequence<Variant: Twin>: ReplicatedType, Hashable {
  /// What users do.
  public enum Operation: Hashable, Sendable {
    /// Counts one more.
    case increment
  }

  /// What the receiver needs, and an acknowledgement of what the sender got.
  public struct Message: Hashable, Sendable {
    let change: [Int]
    let sequence: Int
    let acknowledgement: Int
  }

  private let replica: Int

  /// The increments of each replica; kept at once.
  private var counts: [Int]

  /// The number of the next change; kept at once.
  private var sequence = 0

  /// Changes by their numbers, and how far each replica has them and this one has theirs; only in memory.
  private var changes: [Int: [Int]] = [:]
  private var acknowledged: [Int]
  private var received: [Int]

  private let nothing: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    nothing = Array(repeating: 0, count: count)
    (counts, acknowledged, received) = (nothing, nothing, nothing)
  }

  /// There is only one.
  public func operation(_ choices: inout Choices) -> Operation { .increment }

  /// Counts.
  public mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    var change = nothing
    change[replica] = counts[replica] + 1
    take(change)
  }

  private mutating func take(_ change: [Int]) {
    let after = Self.join(counts, change)
    guard after != counts else { return }
    counts = after
    changes[sequence] = change
    sequence += 1
  }

  private static func join(_ one: [Int], _ other: [Int]) -> [Int] { zip(one, other).map { max($0, $1) } }

  /// The changes that were not acknowledged; everything when none ever was, or some are no longer in memory.
  public mutating func message(to receiver: Int) -> Message? {
    var change = acknowledged[receiver] == 0 ? counts : nothing
    for number in acknowledged[receiver]..<max(acknowledged[receiver], sequence) {
      change = Self.join(change, changes[number] ?? counts)
    }
    return Message(change: change, sequence: sequence, acknowledgement: received[receiver])
  }

  /// Takes in a change, to be passed on, and an acknowledgement.
  public mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    take(message.change)
    received[sender] = max(received[sender], message.sequence)
    acknowledged[sender] = max(acknowledged[sender], message.acknowledgement)
    return true
  }

  /// Merges everything.
  public func merging(stateOf other: ForgottenSequence) -> ForgottenSequence? {
    var merged = self
    merged.take(other.counts)
    return merged
  }

  /// Forgets what was only in memory.
  public mutating func crash() {
    changes = [:]
    (acknowledged, received) = (nothing, nothing)
    if Variant.isMutant { sequence = 0 }
  }

  /// The count.
  public var observation: Int { counts.reduce(0, +) }

  /// Every increment counts.
  public static func expected(after operations: [Operation]) -> Int? { operations.count }

  /// Every increment counts, whoever knew of it.
  public static func objection(to observation: Int, after past: Past<Operation>) -> String? {
    observation == past.events.count ? nil : "there were \(past.events.count) increments"
  }
}
