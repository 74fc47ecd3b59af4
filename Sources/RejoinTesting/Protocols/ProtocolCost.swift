/// What a protocol cost in one run.
public struct ProtocolCost: Hashable, Sendable {
  /// How many elements were sent: elements of a set, entries of a map.
  public internal(set) var elements = 0

  /// What was sent beside them: each number of a message and each entry of a vector counts one.
  public internal(set) var metadata = 0

  /// How many messages were sent.
  public internal(set) var messages = 0

  /// The bytes of all messages, where elements travel as deltas of this library, each readable by itself.
  public internal(set) var bytes = 0

  /// The bytes of all messages between neighbours that know each other.
  ///
  /// Both ends have named the replicas and the data set before, and a delta leaves out what its receiver can tell
  /// from earlier messages: what remains are its columns and a checksum.
  public internal(set) var sessionBytes = 0

  /// How long after the last update all nodes held everything, in milliseconds; nil when they never did.
  public internal(set) var convergenceDelayMilliseconds: Int?

  /// Elements and metadata together: the unit of the published comparison.
  public var units: Int { elements + metadata }

  /// Whether all nodes came to hold everything.
  public var hasConverged: Bool { convergenceDelayMilliseconds != nil }

  /// Adds what one message costs.
  mutating func add(_ message: ProtocolCost) {
    elements += message.elements
    metadata += message.metadata
    messages += 1
    bytes += message.bytes
    sessionBytes += message.sessionBytes
  }
}

extension ProtocolCost {
  /// The cost of a message of elements, in the library's encoding, and numbers beside them.
  init(_ contents: some Contents, of plan: Plan, numbers: [Int]) {
    let size = contents.encodedSize(of: plan)
    self.init(numbers: numbers)
    elements = contents.count
    bytes += size.alone
    sessionBytes += size.inSession
  }

  /// The cost of a message of numbers.
  init(numbers: [Int]) {
    metadata = numbers.count
    bytes = numbers.reduce(0) { $0 + EncodedSize.varint($1) }
    sessionBytes = bytes
  }
}
