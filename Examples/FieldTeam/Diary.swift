import RejoinTesting

/// What happened, in the form in which the test kit draws histories; the server is the last of all.
struct Diary {
  private(set) var rows: [Trace.Row] = []
  private let names: [String]

  init(_ names: [String]) { self.names = names }

  /// Somebody did something.
  mutating func did(_ text: String, on device: Int, showing shown: String) {
    rows.append(
      Trace.Row(
        .operation(replica: device, text), text: "\(names[device]) \(text)",
        shown: Trace.Shown(shown, on: device)))
  }

  /// Two devices met.
  mutating func met(_ one: Int, _ other: Int, showing shown: String) {
    rows.append(
      Trace.Row(
        .exchange(from: one, to: other, .taken), text: "\(names[one]) and \(names[other]) meet",
        shown: Trace.Shown(shown, on: other)))
  }

  /// A device exchanged with the server, as far as the link allowed.
  mutating func exchanged(_ device: Int, isCut: Bool, showing shown: String) {
    rows.append(
      Trace.Row(
        .exchange(from: device, to: names.count - 1, isCut ? .cut : .taken),
        text: "\(names[device]) exchanges with the server\(isCut ? ", but the link breaks" : "")",
        shown: Trace.Shown(shown, on: device)))
  }

  /// The page about it.
  func page(_ outcome: [String], facts: [HistoryReport.Fact]) -> String {
    let letters = names.enumerated().map { number, name in
      HistoryReport.Fact(String(UnicodeScalar(UInt8(65 + number))), name)
    }
    return HistoryReport(
      title: "A day of a field team", facts: letters + facts,
      trace: Trace(replicaCount: names.count, rows: rows, outcome: outcome)
    ).html
  }
}
