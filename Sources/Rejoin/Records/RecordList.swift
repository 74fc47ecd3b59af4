public import RejoinCore

/// The records of a collection, and those that could not be decoded: one of them never hides the others.
public struct RecordList<Element: Record>: RandomAccessCollection, Sendable {
  /// A record that is visible but does not decode as the type.
  public struct Undecodable: Sendable {
    /// Its id.
    public var id: RecordID
    /// Which field is missing or of another type; it names types and keys, no values.
    public var reason: String
  }

  private let elements: [Element]

  /// The records that do not decode, with the reason.
  public let undecodable: [Undecodable]

  /// The records that the store cannot read, because somebody edited or damaged its file.
  public let unreadable: [UnreadableRecord]

  /// Where deleted records are included: those of the records that readers do not see, and why.
  public let hidden: [RecordID: Presence]

  init(
    _ elements: [Element], undecodable: [Undecodable], unreadable: [UnreadableRecord],
    hidden: [RecordID: Presence]
  ) {
    self.elements = elements
    self.undecodable = undecodable
    self.unreadable = unreadable
    self.hidden = hidden
  }

  /// The position of the first record.
  public var startIndex: Int { 0 }

  /// The position after the last record.
  public var endIndex: Int { elements.count }

  /// The record at a position.
  public subscript(position: Int) -> Element { elements[position] }
}
