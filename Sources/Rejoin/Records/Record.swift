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

  /// The properties that hold the id of a parent, by coding key; none unless declared otherwise.
  ///
  ///     static let references = [Reference(CodingKeys.post, to: Post.self)]
  ///
  /// Declare the type when you open the replica, by `Replica.declare(_:)`.
  static var references: [Reference] { get }

  /// What happens to a property when two wrote it, or a server has another value; the latest write wins unless declared
  /// otherwise.
  ///
  /// Declare the type when you open the replica, by `Replica.declare(_:)`.
  static var policies: [FieldPolicy] { get }

  /// The properties whose values records are found and sorted by, by coding key; none unless declared otherwise.
  ///
  ///     static let indexes = [Index(CodingKeys.email)]
  static var indexes: [Index] { get }

  /// What properties read where their fields are absent or null; none unless declared otherwise.
  ///
  ///     static let defaults = [FieldDefault(CodingKeys.priority, 1)]
  static var defaults: [FieldDefault] { get }

  /// How properties read values of another type; none unless declared otherwise.
  ///
  ///     static let converters = [
  ///       FieldConverter(CodingKeys.size) { old in
  ///         if case .string(let text) = old { Int64(text).map { .int($0) } ?? .null } else { old }
  ///       }
  ///     ]
  static var converters: [FieldConverter] { get }

  /// The record's id: made on the device, never changed afterwards.
  var id: RecordID { get }
}

extension Record {
  /// The coding key of the id.
  public static var idKey: FieldName { "id" }

  /// No property holds a parent's id.
  public static var references: [Reference] { [] }

  /// The latest write wins.
  public static var policies: [FieldPolicy] { [] }

  /// No property has a default.
  public static var defaults: [FieldDefault] { [] }

  /// No property is converted.
  public static var converters: [FieldConverter] { [] }

  /// No property has an index.
  public static var indexes: [Index] { [] }
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
