public import RejoinCore

/// A type whose values are records: a struct with named properties, encoded by its coding keys.
///
/// Each property is a field, named by its coding key, but for the id. Optionals that are nil are not written by an
/// insert; setting one to nil in an update clears the field. Fields that the type does not know are kept.
/// Supported are the standard types, `[UInt8]` as data, `RecordID` as a reference, `UnixTime` as a time, `Value`,
/// and nested codable types, which are one atomic value each. Foundation's types encode themselves: `Data` as a list of
/// numbers, `Date` as a floating-point number; prefer `[UInt8]` and `UnixTime`.
public protocol Record: Codable, Sendable, Identifiable where ID == RecordID {
  /// The collection that holds the records of this type.
  static var collection: Collection { get }

  /// The coding key of the id; "id" unless declared otherwise.
  static var idKey: FieldName { get }

  /// The record's id: made on the device, never changed afterwards.
  var id: RecordID { get }
}

extension Record {
  /// The coding key of the id.
  public static var idKey: FieldName { "id" }
}

/// A point in time that a record's field can hold, in milliseconds since the Unix epoch.
public struct UnixTime: Hashable, Comparable, Sendable, Codable {
  /// Milliseconds since the Unix epoch.
  public var milliseconds: Int64

  /// Makes a time.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Whether `left` is earlier than `right`.
  public static func < (left: UnixTime, right: UnixTime) -> Bool { left.milliseconds < right.milliseconds }

  /// Reads a number of milliseconds.
  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Writes a number of milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

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

  init(_ elements: [Element], undecodable: [Undecodable]) {
    self.elements = elements
    self.undecodable = undecodable
  }

  /// The position of the first record.
  public var startIndex: Int { 0 }

  /// The position after the last record.
  public var endIndex: Int { elements.count }

  /// The record at a position.
  public subscript(position: Int) -> Element { elements[position] }
}
