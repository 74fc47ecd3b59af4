import RejoinCore

/// What became of the values that devices wrote, where each value is written once.
struct ValueFates {
  /// A value in a field of a record, as text.
  private var open: Set<String> = []
  private var lastNumber: Int64 = 0

  /// A value that was never written before; its last three bits are as wanted.
  mutating func next(_ bits: Int) -> Int64 {
    lastNumber += 1
    return lastNumber * 8 + Int64(bits)
  }

  static func text(_ subject: String, _ field: String, _ value: JSON) -> String {
    "\(subject)/\(field)/\(value.text())"
  }

  /// A value was written, and committed.
  mutating func write(_ text: String) { open.insert(text) }

  /// Somebody who saw the value wrote another, deleted the record, or gave the value up.
  mutating func close(_ text: String) { open.remove(text) }

  /// The values that are in nobody's hands any more: neither the server ever had them, nor does a device show them or
  /// have them in its ledger or among its dead letters.
  func lost(reached: Set<String>, kept: Set<String>) -> [String] {
    open.filter { !reached.contains($0) && !kept.contains($0) }.sorted()
  }
}
