public import RejoinTesting

/// M14: a counter of votes with a digest of all votes; the mutant combines their hashes by XOR.
///
/// Equal hashes cancel each other out, so that two votes of one replica look like none. Found in the repair of Ferrosa
/// (pull request 339), where rows with equal contents made whole ranges look empty; XOR is also linear, so that anybody
/// who may choose what is hashed can find such sets of any hash.
public struct CancellingDigest<Variant: Twin>: Digestible, Hashable {
  /// What users do.
  public enum Operation: Hashable, Sendable {
    /// Counts one more.
    case vote
  }

  private let replica: Int
  private var votes: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    votes = Array(repeating: 0, count: count)
  }

  /// There is only one.
  public func operation(_ choices: inout Choices) -> Operation { .vote }

  /// Counts.
  public mutating func apply(_ operation: Operation, clockMilliseconds: Int64) { votes[replica] += 1 }

  /// Keeps the greater count of each replica.
  public mutating func merge(_ other: CancellingDigest) {
    votes = zip(votes, other.votes).map { max($0, $1) }
  }

  /// The hashes of all votes, added up.
  public var digest: UInt64 {
    var digest: UInt64 = 0
    for (replica, count) in votes.enumerated() {
      let hash = Self.hash(ofVoteBy: replica)
      for _ in 0..<count { digest = Variant.isMutant ? digest ^ hash : digest &+ hash }
    }
    return digest
  }

  /// Mixed well, so that sums of few of them differ.
  private static func hash(ofVoteBy replica: Int) -> UInt64 {
    let product = UInt64(replica + 1) &* 0x9e37_79b9_7f4a_7c15
    return (product ^ product >> 32) &* 0xd6e8_feb8_6659_fd93
  }

  /// The votes.
  public var observation: Int { votes.reduce(0, +) }

  /// Every vote counts.
  public static func expected(after operations: [Operation]) -> Int? { operations.count }

  /// Every vote counts, whoever knew of it.
  public static func objection(to observation: Int, after past: Past<Operation>) -> String? {
    observation == past.events.count ? nil : "there were \(past.events.count) votes"
  }
}
