/// A name given by the application, compared by its UTF-8 bytes.
///
/// Swift's `String` compares by canonical equivalence: "é" in one code point and in two are one key there, but
/// two names here, on every device and in every store.
public protocol Name: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name as text.
  var text: String { get }

  /// Makes a name; it is checked where it enters a replica.
  init(_ text: String)
}

extension Name {
  /// Makes a name of a literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// The name as text.
  public var description: String { text }

  /// Whether both have the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  /// Whether `left` comes before `right`: order of the bytes.
  public static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
  }

  /// Whether the name may be used: not empty and at most `Limits.nameBytes` bytes.
  package var isValid: Bool { !text.isEmpty && text.utf8.count <= Limits.nameBytes }
}

/// Names a set of records of one kind, such as "accounts".
public struct Collection: Name {
  /// The name as text.
  public let text: String

  /// Makes a name.
  public init(_ text: String) {
    self.text = text
  }
}

/// Names a field of a record, such as "email".
public struct FieldName: Name {
  /// The name as text.
  public let text: String

  /// Makes a name.
  public init(_ text: String) {
    self.text = text
  }
}

/// Names a grow-only log, such as "activity".
public struct LogName: Name {
  /// The name as text.
  public let text: String

  /// Makes a name.
  public init(_ text: String) {
    self.text = text
  }
}

/// Where a record lives: its collection and its id.
public struct RecordKey: Hashable, Comparable, Sendable {
  /// The collection.
  public var collection: Collection

  /// The record's id.
  public var id: RecordID

  /// Makes a key.
  public init(_ collection: Collection, _ id: RecordID) {
    self.collection = collection
    self.id = id
  }

  /// Whether `left` comes before `right`: by collection, then by id.
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.collection == right.collection ? left.id < right.id : left.collection < right.collection
  }
}

/// Where a log entry lives: its log and its id.
public struct EntryKey: Hashable, Comparable, Sendable {
  /// The log.
  public var log: LogName

  /// The entry's id.
  public var id: EntryID

  /// Makes a key.
  public init(_ log: LogName, _ id: EntryID) {
    self.log = log
    self.id = id
  }

  /// Whether `left` comes before `right`: by log, then by id.
  public static func < (left: EntryKey, right: EntryKey) -> Bool {
    left.log == right.log ? left.id < right.id : left.log < right.log
  }
}
