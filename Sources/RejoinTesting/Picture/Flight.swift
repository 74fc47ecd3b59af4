/// A message that was under way, from the row in which it was sent to those in which it arrived or was lost.
///
/// The rows are the steps of the trace, and one more for what happens after all of them.
struct Flight: Hashable, Sendable {
  /// A row, and what became of the message in it.
  struct End: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case taken
      case refused
      case lost
      /// It was still under way after the last step: it arrived when everybody met everybody, or the history
      /// ended before.
      case leftOver
    }

    var row: Int
    var kind: Kind
  }

  let message: Int
  let sender: Int
  let receiver: Int
  let start: Int

  /// At least one; several when the message was repeated.
  private(set) var ends: [End] = []

  /// Which of the tracks it keeps to in the gap next to its receiver, so that no two run into each other.
  private(set) var track = 0

  private init(message: Int, from sender: Int, to receiver: Int, start: Int) {
    self.message = message
    self.sender = sender
    self.receiver = receiver
    self.start = start
  }

  /// The gap in which it runs down: that between the replica of this number and the next.
  var gap: Int { sender < receiver ? receiver - 1 : receiver }

  /// The row in which it is last seen.
  var lastRow: Int { ends.last?.row ?? start }

  /// How many lanes it goes to the side.
  var span: Int { abs(sender - receiver) }

  /// All messages of a trace that were ever under way, in the order in which they were sent.
  static func all(in trace: Trace) -> [Flight] {
    var flights: [Flight] = []
    var open: [Int: Int] = [:]
    func end(_ message: Int, _ row: Int, _ kind: End.Kind, isLast: Bool = true) {
      guard let index = open[message] else { return }
      flights[index].ends.append(End(row: row, kind: kind))
      if isLast { open[message] = nil }
    }
    for (row, step) in trace.rows.enumerated() {
      switch step.event {
      case .send(let message, let from, let to, .underWay) where from != to:
        open[message] = flights.count
        flights.append(Flight(message: message, from: from, to: to, start: row))
      case .arrival(let message, _, _, let fate, let isLast):
        end(message, row, fate == .refused ? .refused : .taken, isLast: isLast)
      case .loss(let message, _, _): end(message, row, .lost)
      case .operation, .exchange, .send, .incident, .note: break
      }
    }
    for message in flights.map(\.message) { end(message, trace.rows.count, .leftOver) }
    giveTracks(to: &flights)
    return flights
  }

  /// Gives each flight the first track of its gap that nobody uses at the time.
  private static func giveTracks(to flights: inout [Flight]) {
    for index in flights.indices {
      let flight = flights[index]
      let taken = Set(
        flights[..<index].filter { $0.gap == flight.gap && $0.lastRow > flight.start }.map(\.track))
      flights[index].track = (0...taken.count).first { !taken.contains($0) } ?? 0
    }
  }
}
