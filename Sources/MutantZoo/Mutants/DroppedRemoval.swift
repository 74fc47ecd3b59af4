public import RejoinTesting

/// M13: a set whose events may overtake each other; the mutant drops a removal that arrives before what it removes.
///
/// The addition that arrives later then stays, at that replica only. Found in Riak (riak_dt, issue 99, "deferred
/// operations may be dropped before they're delivered", and pull request 113).
public struct DroppedRemoval<Variant: Twin>: ReplicatedType, IntendedSet, Hashable {
  /// Which event it is: the `number`-th of its replica.
  struct Name: Hashable, Sendable {
    var replica: Int
    var number: Int
  }

  /// What happened at a replica.
  public struct Event: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case addition(Int)
      case removal(of: [Name])
    }

    let name: Name
    let kind: Kind
  }

  private let replica: Int
  private var additions: [Name: Int] = [:]
  private var removed: Set<Name> = []

  /// All events, in the order in which they came here.
  private var events: [Event] = []

  /// How many of its own events this replica has sent to each.
  private var sent: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    sent = Array(repeating: 0, count: count)
  }

  private var own: [Event] { events.filter { $0.name.replica == replica } }

  /// Adds an element, or removes the additions of it that are seen here.
  public mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    let name = Name(replica: replica, number: own.count + 1)
    switch operation {
    case .add(let element): perform(Event(name: name, kind: .addition(element)))
    case .remove(let element):
      let names = events.map(\.name).filter { additions[$0] == element }
      perform(Event(name: name, kind: .removal(of: names)))
    case .collect: break
    }
  }

  private mutating func perform(_ event: Event) {
    guard !events.contains(where: { $0.name == event.name }) else { return }
    events.append(event)
    switch event.kind {
    case .addition(let element):
      if !removed.contains(event.name) { additions[event.name] = element }
    case .removal(let names):
      for name in names where additions.removeValue(forKey: name) == nil {
        // Not here yet: it must not come any more.
        if !Variant.isMutant { removed.insert(name) }
      }
    }
  }

  /// The events of this replica that are new; when there are none, all events, as something may have got lost.
  public mutating func message(to receiver: Int) -> [Event]? {
    let new = Array(own.dropFirst(sent[receiver]))
    sent[receiver] += new.count
    return new.isEmpty ? events : new
  }

  /// Performs those that have not been seen.
  public mutating func merge(_ message: [Event], from sender: Int, clockMilliseconds: Int64) -> Bool {
    for event in message { perform(event) }
    return true
  }

  /// New events may arrive before older ones.
  public static var messagesCarryEverything: Bool { false }

  /// The elements, in order.
  public var observation: [Int] { Set(additions.values).sorted() }

  /// Elements that nobody removed are there, and no others than were added.
  ///
  /// Whether a removal knew of an addition cannot be told, as not all events arrive at once.
  public static func objection(to observation: [Int], after past: Past<SetOperation>) -> String? {
    let added = [1, 2].filter { past.operations.contains(.add($0)) }
    let kept = added.filter { !past.operations.contains(.remove($0)) }
    if !Set(observation).isSuperset(of: kept) { return "nobody removed \(kept)" }
    return Set(added).isSuperset(of: observation) ? nil : "only \(added) were added"
  }
}
