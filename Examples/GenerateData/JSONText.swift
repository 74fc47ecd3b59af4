/// Writes values as JSON (RFC 8259).
enum JSONText {
  /// A string with its quotes: escapes quotes, backslashes and control characters, nothing else.
  static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case "\u{0}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// A string, or null.
  static func string(_ text: String?) -> String {
    guard let text else { return "null" }
    return string(text) as String
  }

  /// An object whose members are JSON already, in the order given.
  static func object(_ members: KeyValuePairs<String, String>) -> String {
    let pairs = members.map { "\(string($0.key) as String): \($0.value)" }
    return "{\(pairs.joined(separator: ", "))}"
  }
}
