package import RejoinCore

/// What a replica shows.
package struct Content: Sendable {
  /// What shows of a record.
  package struct Record: Equatable, Sendable {
    /// How often it came to life and was deleted.
    package var count: UInt64

    /// The fields of the life that is running, or that ended last; null for those that were cleared.
    package var fields: [String: Value]

    /// Makes a record as it shows.
    package init(count: UInt64, fields: [String: Value]) {
      self.count = count
      self.fields = fields
    }

    /// Whether it is not deleted.
    var isAlive: Bool { count % 2 == 1 }
  }

  /// The records that there are or were.
  package var records: [Int: Record] = [:]

  /// The log in order.
  package var log: [String] = []

  /// How far the replica has come, and the digest of all that it holds; a specification knows neither.
  package var fingerprint: Fingerprint?

  /// A rule that the replica was seen to break, whatever it shows.
  package var fault: String?

  /// Makes what a replica shows.
  package init(records: [Int: Record] = [:], log: [String] = [], fault: String? = nil) {
    (self.records, self.log, self.fault) = (records, log, fault)
  }

  /// How far a replica has come, and what it holds then.
  package struct Fingerprint: Equatable, Sendable {
    /// The writes that are covered.
    let version: VersionVector
    /// The sum over all that is held.
    let digest: Digest
    /// A sum over the library's own logs, of which the digest knows nothing.
    let ledger: UInt64
  }
}

extension Content: Equatable {
  /// Whether the same shows and, of two replicas, the same lies beneath.
  package static func == (left: Content, right: Content) -> Bool {
    let agrees =
      left.fingerprint == nil || right.fingerprint == nil || left.fingerprint == right.fingerprint
    return agrees && left.records == right.records && left.log == right.log && left.fault == right.fault
  }
}

extension Content {
  /// The text of the next log entry of a replica; no two entries have one text.
  package func nextEntry(of writer: Int) -> String {
    "\(Self.name(writer))-\(log.count { $0.hasPrefix("\(Self.name(writer))-") } + 1)"
  }

  /// The letter of a replica, as in the kit's traces.
  package static func name(_ replica: Int) -> String { Step<Never>.name(replica) }

  /// Fields in one order.
  package static func text(_ fields: [String: Value]) -> String {
    let texts = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }
    return "{\(texts.joined(separator: " "))}"
  }

  /// A value in a few characters.
  package static func text(_ value: Value) -> String {
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
    if parts.isEmpty { parts.append("nothing") }
    if let fingerprint { parts.append("\(fingerprint)") }
    if let fault { parts.append("FAULT: \(fault)") }
    return parts.joined(separator: ", ")
  }
}

extension Content.Fingerprint: CustomStringConvertible {
  /// Enough of both to tell that they differ.
  package var description: String {
    let version = version.entries.reduce(UInt64(0)) { sum, entry in
      (sum ^ entry.replica.rawValue ^ entry.time.rawValue) &* 0x9e37_79b9_7f4a_7c15
    }
    return "version \(String(version >> 48, radix: 16)), digest \(String(digest.high >> 48, radix: 16))"
  }
}
