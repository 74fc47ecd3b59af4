import RejoinCore

extension ServerRow {
  /// Whether a server may call a row so.
  static func isValid(id: String) -> Bool { !id.isEmpty && id.utf8.count <= Limits.serverIDBytes }

  /// Whether a row may have this version: a negative one is older than nothing, and none is later than the largest.
  static func isValid(version: Int64) -> Bool { 0...Limits.serverVersion ~= version }

  /// Refuses what could not be kept, or what other replicas could not decode once it is kept here.
  ///
  /// Scalars cost next to nothing.
  ///
  /// - Throws: `JSONError` with the bound that is exceeded.
  func checkLimits(isEntry: Bool = false) throws(JSONError) {
    guard Collection(entity).isValid else {
      throw JSONError(.overLimit("bytes of a collection's name", limit: Limits.nameBytes))
    }
    guard ServerRow.isValid(id: id), localID.map({ $0.utf8.count <= Limits.serverIDBytes }) ?? true else {
      throw JSONError(.overLimit("bytes of an id", limit: Limits.serverIDBytes))
    }
    guard version.map({ ServerRow.isValid(version: $0) }) ?? true else {
      throw JSONError(.overLimit("version of a row", limit: Int(Limits.serverVersion)))
    }
    if isEntry { try checkEntry() } else { try checkFields() }
  }

  private func checkFields() throws(JSONError) {
    guard fields.count <= Limits.registersPerRecord else {
      throw JSONError(.overLimit("fields of a record", limit: Limits.registersPerRecord))
    }
    for member in fields {
      guard FieldName(member.name).isValid else {
        throw JSONError(.overLimit("bytes of a field name", limit: Limits.nameBytes))
      }
      guard !member.value.isSmall else { continue }
      let value = try PlainForm.value(of: member.value, as: nil, like: nil)
      try ServerRow.check { () throws(CodingError) in _ = try value.validated() }
    }
  }

  /// What a log entry says is one value, a map.
  private func checkEntry() throws(JSONError) {
    let isSmall = fields.count <= 256 && fields.allSatisfy { $0.value.isSmall && $0.name.utf8.count <= 4_096 }
    guard !isSmall else { return }
    var values: [(String, Value)] = []
    for member in fields {
      values.append((member.name, try PlainForm.value(of: member.value, as: nil, like: nil)))
    }
    try ServerRow.check { () throws(CodingError) in _ = try ValueMap(values).validated() }
  }

  private static func check(_ validate: () throws(CodingError) -> Void) throws(JSONError) {
    do {
      try validate()
    } catch .overLimit(let what, let limit) {
      throw JSONError(.overLimit(what, limit: limit))
    } catch {
      throw JSONError(.overLimit("bytes of a value", limit: Limits.valueBytes))
    }
  }
}

extension JSON {
  /// Whether it is a scalar that is certainly within every bound of a value.
  fileprivate var isSmall: Bool {
    switch self {
    case .null, .bool, .int, .double: true
    case .string(let text): text.utf8.count <= 4_096
    case .array, .object: false
    }
  }
}

extension String {
  /// The text itself, or its beginning where it has more bytes of UTF-8.
  func cut(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var end = utf8.index(startIndex, offsetBy: count)
    // A character is not cut in two.
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(unicodeScalars[..<end])
  }
}
