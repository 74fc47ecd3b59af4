import Rejoin
import RejoinCore

extension Arguments {
  /// The wall clock that the caller fixed, in milliseconds; nil when the system's counts.
  var nowMilliseconds: Int64? {
    get throws(Failure) {
      guard let text = option("--now") else { return nil }
      guard let number = Int64(text), 0...Limits.wallMilliseconds ~= number else {
        throw .usage("--now takes whole milliseconds since the Unix epoch, not \"\(text)\".")
      }
      return number
    }
  }

  /// The collection that the caller named.
  var collection: Collection {
    get throws(Failure) {
      try Arguments.check(text("COLLECTION"), what: "COLLECTION")
      return Collection(text("COLLECTION"))
    }
  }

  /// The log that the caller named.
  var log: LogName {
    get throws(Failure) {
      try Arguments.check(text("LOG"), what: "LOG")
      return LogName(text("LOG"))
    }
  }

  /// The id of an existing record.
  var id: RecordID {
    get throws(Failure) {
      guard let id = RecordID(text("ID")) else {
        throw .usage("ID is a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057, not \"\(text("ID"))\".")
      }
      return id
    }
  }

  /// The value of an option that names something, nil when it was not given.
  func name(_ option: String) throws(Failure) -> String? {
    guard let text = self.option(option) else { return nil }
    try Arguments.requireUnrepaired(text, what: "The value of \(option)")
    return text
  }

  /// Reads `field=JSON` assignments; a field stands once.
  ///
  /// The name ends at the first byte that is an equals sign: as characters, the sign and a combining mark behind
  /// it would be one.
  func assignments() throws(Failure) -> [FieldName: Value] { try Arguments.assignments(repeated) }

  /// Reads such assignments from elsewhere.
  static func assignments(_ words: [String]) throws(Failure) -> [FieldName: Value] {
    var fields: [FieldName: Value] = [:]
    for text in words {
      let (field, value) = try Arguments.assignment(text)
      guard fields.updateValue(value, forKey: field) == nil else {
        throw .usage("The field \"\(field)\" stands twice.")
      }
    }
    return fields
  }

  /// Reads one `field=JSON`.
  static func assignment(_ text: String) throws(Failure) -> (field: FieldName, value: Value) {
    let bytes = Array(text.utf8)
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
      throw .usage("\"\(text)\" is no assignment; write field=JSON, such as 'email=\"ada@example.com\"'.")
    }
    let name = String(decoding: bytes[..<equals], as: UTF8.self)
    let field = try field(name)
    try requireUnrepaired(text, what: "The value of \(Form.quoted(name))")
    return (field, try value(Array(bytes[(equals + 1)...]), of: name))
  }

  /// A name that a field may have.
  static func field(_ name: String) throws(Failure) -> FieldName {
    try check(name, what: "A field")
    guard name != "id" else { throw .usage("No field is called \"id\": the id stands before the fields.") }
    return FieldName(name)
  }

  private static func value(_ bytes: [UInt8], of name: String) throws(Failure) -> Value {
    do {
      return try Value(json: JSON(parsing: bytes))
    } catch {
      throw .usage(
        "The value of \(Form.quoted(name)) is refused. \(error) Put text in quotes, and those in the shell's: "
          + "'\(name)=\"text\"'.")
    }
  }

  private static func check(_ name: String, what: String) throws(Failure) {
    try requireUnrepaired(name, what: what)
    guard 1...Limits.nameBytes ~= name.utf8.count else {
      throw .usage("\(what) has a name of 1 to \(Limits.nameBytes) bytes, not of \(name.utf8.count).")
    }
  }
  /// Throws when text holds U+FFFD.
  ///
  /// The process gets its arguments repaired: U+FFFD stands for bytes that are no UTF-8, and different ones would
  /// become one name. JSON can say it with an escape.
  static func requireUnrepaired(_ text: String, what: String) throws(Failure) {
    guard !text.unicodeScalars.contains("\u{fffd}") else {
      throw .usage("\(what) is no valid UTF-8, or holds the character U+FFFD that stands for such bytes.")
    }
  }
}
