import RejoinCore

/// What became of the values that devices wrote, where each value is written once.
struct ValueFates {
  /// A value in a field of a record, as text.
  private var open: [String: Int] = [:]
  private var lastNumber: Int64 = 0

  /// A value that was never written before; its last three bits are as wanted.
  mutating func next(_ bits: Int) -> Int64 {
    lastNumber += 1
    return lastNumber * 8 + Int64(bits)
  }

  static func text(_ subject: String, _ field: String, _ value: JSON) -> String {
    "\(subject)/\(field)/\(value.text())"
  }

  /// A value was written at a device, and committed.
  mutating func write(_ text: String, at device: Int) { open[text] = device }

  /// A value was written again at another device, because its record came back there.
  mutating func rewrite(_ text: String, at device: Int) {
    if open[text] != nil { open[text] = device }
  }

  /// Whether a device that shows the value wrote it itself.
  func isOwn(_ text: String, of device: Int) -> Bool { open[text] == device }

  /// Somebody who saw the value wrote another, deleted the record, or gave the value up.
  mutating func close(_ text: String) { open[text] = nil }

  /// The values that are in nobody's hands any more: neither the server ever had them, nor does a device show them or
  /// have them in its ledger or among its dead letters.
  func lost(reached: Set<String>, kept: Set<String>) -> [String] {
    open.keys.filter { !reached.contains($0) && !kept.contains($0) }.sorted()
  }
}
