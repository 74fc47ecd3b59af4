import RejoinCore

/// What became of the values that devices wrote, where each value is written once.
struct ValueFates {
  /// A value in a field of a record, as text.
  private var open: [String: Int] = [:]
  private var lastNumber: Int64 = 0
  /// What stood where a value was written, as far as its device knew.
  private var former: [String: String] = [:]
  /// Where each value was written.
  private var authors: [String: Int] = [:]
  /// The records that came and went: their values come back with them.
  private var returning: Set<String> = []

  /// A value that was never written before; its last three bits are as wanted.
  mutating func next(_ bits: Int) -> Int64 {
    lastNumber += 1
    return lastNumber * 8 + Int64(bits)
  }

  static func text(_ subject: String, _ field: String, _ value: JSON) -> String {
    "\(subject)/\(field)/\(value.text())"
  }

  /// A value was written at a device in place of another one, and committed.
  mutating func write(_ text: String, at device: Int, over old: String?) {
    open[text] = device
    authors[text] = device
    former[text] = old
  }

  /// A record was deleted or restored.
  mutating func returns(_ subject: String) { returning.insert(subject) }

  /// The values that were written in place of one that is shown at the end, and that nobody has replaced or given up.
  ///
  /// A device knows what it replaced itself, and not what somebody else had replaced before that.
  func replaced(byOlder shown: String, of subject: String) -> [String] {
    guard !returning.contains(subject) else { return [] }
    return open.keys.filter { text in
      var next = former[text]
      while let older = next {
        if older == shown { return true }
        next = authors[older] == authors[text] ? former[older] : nil
      }
      return false
    }.sorted()
  }

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
