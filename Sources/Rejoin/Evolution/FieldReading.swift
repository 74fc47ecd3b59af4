public import RejoinCore

/// What a property reads where its field is absent or null, because other versions of the application do not write it.
///
/// It is never written: not when the record is read, and not by an update or upsert that leaves the property as it was
/// read. Declare none for an optional property that may be set to nil, which would read as the default again.
public struct FieldDefault: Sendable {
  /// The field.
  public var field: FieldName

  /// What is read.
  public var value: Value

  /// Makes a default of a field.
  public init(_ field: FieldName, _ value: Value) {
    self.field = field
    self.value = value
  }

  /// Makes a default of the property with a coding key; a value that no field can hold is no default.
  public init(_ key: some CodingKey, _ value: some Encodable) {
    self.init(FieldName(key.stringValue), (try? FieldEncoder.value(of: value)) ?? .null)
  }
}

/// How a property reads values of another type, which other versions of the application write under its coding key.
///
/// Nothing is rewritten: a field keeps the value that it was given until somebody changes the property.
public struct FieldConverter: Sendable {
  /// The field.
  public var field: FieldName

  let convert: @Sendable (Value) -> Value

  /// Makes a converter of a field.
  ///
  /// It is given every value but null that is read, also those of the present type, and returns what it does not know
  /// as it is. What it returns as `.null` reads as the field's default, or as nil.
  public init(_ field: FieldName, _ convert: @escaping @Sendable (Value) -> Value) {
    self.field = field
    self.convert = convert
  }

  /// Makes a converter of the property with a coding key; see ``init(_:_:)-(FieldName,_)``.
  public init(_ key: some CodingKey, _ convert: @escaping @Sendable (Value) -> Value) {
    self.init(FieldName(key.stringValue), convert)
  }
}

/// What a type makes of fields before it decodes: converters first, then defaults.
struct FieldReading {
  private let converters: [FieldConverter]
  private let defaults: [FieldDefault]

  /// Reads fields as they are.
  static let plain = FieldReading(converters: [], defaults: [])

  /// Reads fields as a type does.
  init<R: Record>(_ type: R.Type) {
    self.init(converters: R.converters, defaults: R.defaults)
  }

  private init(converters: [FieldConverter], defaults: [FieldDefault]) {
    self.converters = converters
    self.defaults = defaults
  }

  /// Whether a field is read as it is stored.
  func leaves(_ field: FieldName) -> Bool {
    !converters.contains { $0.field == field } && !defaults.contains { $0.field == field }
  }

  /// The fields as the type reads them.
  func applied(to stored: [FieldName: Value]) -> [FieldName: Value] {
    guard !converters.isEmpty || !defaults.isEmpty else { return stored }
    var fields = stored
    for converter in converters {
      switch fields[converter.field] {
      case nil, .null?: break
      case let value?: fields[converter.field] = converter.convert(value)
      }
    }
    for standIn in defaults {
      switch fields[standIn.field] {
      case nil, .null?: fields[standIn.field] = standIn.value
      case _?: break
      }
    }
    return fields
  }
}
