package import RejoinCore

/// What a replica shows.
package struct Content: Equatable, Sendable {
  /// What shows of a record.
  package struct Record: Equatable, Sendable {
    /// How often it came to life and was deleted.
    package var count: UInt64

    /// The fields of the life that is running, or that ended last; null for those that were cleared.
    package var fields: [String: Value]

    /// Whether it is not deleted.
    var isAlive: Bool { count % 2 == 1 }
  }

  /// The records that there are or were.
  package var records: [Int: Record] = [:]

  /// The log in order.
  package var log: [String] = []

  /// A rule that the replica was seen to break, whatever it shows.
  package var fault: String?
}

extension Content {
  /// The text of the next log entry of a replica; no two entries have one text.
  func nextEntry(of writer: Int) -> String {
    "\(Self.name(writer))\(log.count { $0.hasPrefix(Self.name(writer)) } + 1)"
  }

  /// The letter of a replica, as in the kit's traces.
  static func name(_ replica: Int) -> String { String(UnicodeScalar(UInt8(65 + replica))) }

  /// Fields in one order.
  static func text(_ fields: [String: Value]) -> String {
    let texts = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }
    return "{\(texts.joined(separator: " "))}"
  }

  /// A value in a few characters.
  static func text(_ value: Value) -> String {
    if case .unknown(_, let bytes) = value { return "?\(bytes.map(String.init).joined())" }
    return value.json.text()
  }
}

extension Content: CustomStringConvertible {
  /// The content in one order.
  package var description: String {
    var parts = records.sorted { $0.key < $1.key }.map { number, record in
      "\(number)\(Self.text(record.fields))" + (record.isAlive ? "" : " deleted")
        + (record.count > 2 ? " count \(record.count)" : "")
    }
    if !log.isEmpty { parts.append("log \(log.joined(separator: " "))") }
    if let fault { parts.append("FAULT: \(fault)") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}
