/// The messages under way and the links that are cut.
struct Network<Content: Sendable>: Sendable {
  /// A message, and what its sender knew when it made it.
  struct Message: Sendable {
    /// Tells it from all others of the history.
    var number: Int
    var sender: Int
    var receiver: Int
    var content: Content
    var knowledge: Knowledge
  }

  struct Link: Hashable, Sendable {
    var sender: Int
    var receiver: Int
  }

  private(set) var underWay: [Message] = []
  private(set) var cut: Set<Link> = []

  /// Replicas that nobody is at, and that nothing reaches.
  private(set) var absent: Set<Int> = []

  func isCut(_ sender: Int, _ receiver: Int) -> Bool {
    if !absent.isEmpty, absent.contains(sender) || absent.contains(receiver) { return true }
    return !cut.isEmpty && cut.contains(Link(sender: sender, receiver: receiver))
  }

  mutating func send(_ message: Message) {
    if !isCut(message.sender, message.receiver) { underWay.append(message) }
  }

  /// The message that was sent first of those on the same link.
  func oldest(onLinkOf index: Int) -> Int {
    guard underWay.indices.contains(index) else { return index }
    return oldest(from: underWay[index].sender, to: underWay[index].receiver) ?? index
  }

  /// The message that was sent first of those under way between two replicas.
  func oldest(from sender: Int, to receiver: Int) -> Int? {
    underWay.firstIndex { $0.sender == sender && $0.receiver == receiver }
  }

  mutating func take(_ index: Int) -> Message { underWay.remove(at: index) }

  mutating func cut(_ sender: Int, _ receiver: Int) { cut.insert(Link(sender: sender, receiver: receiver)) }

  mutating func mend() { cut = [] }

  mutating func leave(_ replica: Int) { absent.insert(replica) }

  mutating func comeBack(_ replica: Int) { absent.remove(replica) }

  mutating func comeBackAll() { absent = [] }
}

/// What the kit knows about the operations that a replica has seen.
///
/// They differ only for types whose messages leave something out.
struct Knowledge: Hashable, Sendable {
  /// Those that it certainly has.
  var certain = NumberSet()

  /// Those that it may have.
  var possible = NumberSet()

  var isExact: Bool { certain == possible }

  mutating func insert(_ number: Int) {
    certain.insert(number)
    possible.insert(number)
  }

  mutating func take(_ other: Knowledge, everything: Bool) {
    if everything { certain.formUnion(other.certain) }
    possible.formUnion(other.possible)
  }
}
