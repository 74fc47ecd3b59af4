public import RejoinTesting

/// M8: a log to which everybody appends; the mutant, having received an entry, claims to have all before it.
///
/// Each replica sends what it has not sent yet, and once more what the receiver turns out to lack. Found in Akka's
/// distributed data (issue 22655): the version moved on over a delta that never came.
public struct GapForgotten<Variant: Twin>: ReplicatedType, Hashable {
  /// A new entry.
  public enum Operation: Hashable, Sendable {
    case append(Int)
  }

  /// Entries of the sender by number, from 1, and how many of the receiver's own entries it has, without a gap.
  public struct Message: Hashable, Sendable {
    var entries: [Int: Int]
    var acknowledged: Int
  }

  private let replica: Int

  /// The entries of each replica by number.
  private var entries: [[Int: Int]]

  /// How many entries of each replica are here, without a gap.
  private var complete: [Int]

  /// How many of this replica's entries were sent to each other one.
  private var sent: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    entries = Array(repeating: [:], count: count)
    complete = Array(repeating: 0, count: count)
    sent = complete
  }

  /// Appends one of two values.
  public func operation(_ choices: inout Choices) -> Operation { .append(1 + choices.number(below: 2)) }

  /// Appends an entry.
  public mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    guard case .append(let value) = operation else { return }
    complete[replica] += 1
    entries[replica][complete[replica]] = value
  }

  /// The entries that were not sent yet.
  public mutating func message(to receiver: Int) -> Message? {
    let news = entries[replica].filter { $0.key > sent[receiver] }
    sent[receiver] = complete[replica]
    return Message(entries: news, acknowledged: complete[receiver])
  }

  /// Takes in entries; what the sender has not acknowledged goes to it once more.
  public mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    for (number, value) in message.entries where number > complete[sender] {
      entries[sender][number] = value
    }
    if Variant.isMutant {
      complete[sender] = max(complete[sender], message.entries.keys.max() ?? 0)
    } else {
      while entries[sender][complete[sender] + 1] != nil { complete[sender] += 1 }
    }
    sent[sender] = message.acknowledged
    return true
  }

  /// A message holds only entries of its sender, and not all of them.
  public static var messagesCarryEverything: Bool { false }

  /// The values of all entries, in order of size.
  public var observation: [Int] { entries.flatMap(\.values).sorted() }

  /// All values.
  public static func expected(after operations: [Operation]) -> [Int]? {
    operations.map { operation in
      switch operation {
      case .append(let value): value
      }
    }.sorted()
  }

  /// Whoever has seen an entry shows it.
  public static func objection(to observation: [Int], after past: Past<Operation>) -> String? {
    let all = expected(after: past.operations) ?? []
    return observation == all ? nil : "the entries are \(all)"
  }
}
