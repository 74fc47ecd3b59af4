public import RejoinTesting

/// M9: a set that sends what is new; the mutant takes it in although something before it is missing.
///
/// A replica says by a clock which events it has seen, and what it has seen and does not hold was removed: the hole
/// acts as a removal, even at the replica that added the element. Found in Akka (akka-core, issue 22188: "holes that
/// work as deletes"). Source: Almeida, Shoker, Baquero, *Delta State Replicated Data Types* (2018), the causal
/// delta-merging condition.
public struct DeltaWithHole<Variant: Twin>: ReplicatedType, IntendedSet, Hashable {
  /// An addition or a removal: the `count`-th event of its replica.
  struct Event: Hashable, Sendable {
    var replica: Int
    var count: Int
  }

  /// What a replica holds, and what it has seen.
  struct Content: Hashable, Sendable {
    var additions: [Event: Int] = [:]
    var clock: [Int]

    func hasSeen(_ event: Event) -> Bool { event.count <= clock[event.replica] }
  }

  /// What has changed at a replica between two moments.
  public struct Delta: Hashable, Sendable {
    let before: [Int]
    let after: [Int]
    let additions: [Event: Int]
    let removals: Set<Event>

    init(from old: Content, to new: Content) {
      before = old.clock
      after = new.clock
      additions = new.additions.filter { !old.hasSeen($0.key) }
      removals = Set(old.additions.keys.filter { new.additions[$0] == nil })
    }

    /// Whether an addition is gone: it is said to be, or happened in between and is not here.
    func removes(_ addition: Event) -> Bool {
      let isRecent = addition.count > before[addition.replica] && addition.count <= after[addition.replica]
      return removals.contains(addition) || isRecent && additions[addition] == nil
    }
  }

  private let replica: Int
  private var content: Content
  private let empty: Content

  /// What was last sent to each replica.
  private var sent: [Content]

  /// Whether something happened here since then.
  private var hasNews: [Bool]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    empty = Content(clock: Array(repeating: 0, count: count))
    content = empty
    sent = Array(repeating: empty, count: count)
    hasNews = Array(repeating: false, count: count)
  }

  /// Adds or removes an element; both are events.
  public mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    content.clock[replica] += 1
    switch operation {
    case .add(let element):
      content.additions[Event(replica: replica, count: content.clock[replica])] = element
    case .remove(let element):
      content.additions = content.additions.filter { $0.value != element }
    case .collect: break
    }
    hasNews = hasNews.map { _ in true }
  }

  /// What has changed since the last message; when nothing happened here, everything, as something may have got lost.
  public mutating func message(to receiver: Int) -> Delta? {
    defer { (sent[receiver], hasNews[receiver]) = (content, false) }
    return Delta(from: hasNews[receiver] ? sent[receiver] : empty, to: content)
  }

  /// Takes in a change of something that is all here.
  public mutating func merge(_ delta: Delta, from sender: Int, clockMilliseconds: Int64) -> Bool {
    let isGapless = zip(delta.before, content.clock).allSatisfy { $0 <= $1 }
    guard isGapless || Variant.isMutant else { return false }
    let arriving = delta.additions.filter { !content.hasSeen($0.key) }
    content.additions = content.additions.filter { !delta.removes($0.key) }
    content.additions.merge(arriving) { mine, _ in mine }
    content.clock = zip(content.clock, delta.after).map { max($0, $1) }
    return true
  }

  /// Merges everything.
  public func merging(stateOf other: DeltaWithHole) -> DeltaWithHole? {
    var merged = self
    _ = merged.merge(Delta(from: empty, to: other.content), from: other.replica, clockMilliseconds: 0)
    return merged
  }

  /// The elements, in order.
  public var observation: [Int] { Set(content.additions.values).sorted() }
}
