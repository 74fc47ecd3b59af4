@testable import RejoinTesting
import Testing

/// What a trace tells of a history.
struct TraceTests {
  private static let traces = (0..<200).map(PictureTraces.random)

  @Test func `every message that arrives or is lost was sent before, between the same two`() {
    for trace in Self.traces {
      var underWay: [Int: [Int]] = [:]
      for row in trace.rows {
        switch row.event {
        case .send(let message, let from, let to, .underWay): underWay[message] = [from, to]
        case .arrival(let message, let from, let to, _, let isLast):
          #expect(underWay[message] == [from, to], "\(trace.text)")
          if isLast { underWay[message] = nil }
        case .loss(let message, let from, let to):
          #expect(underWay[message] == [from, to], "\(trace.text)")
          underWay[message] = nil
        case .operation, .exchange, .send, .incident, .note: break
        }
      }
    }
  }

  @Test func `words say what became of a message, and only who took part shows something`() {
    var seen: [Trace.Fate] = []
    for row in Self.traces.flatMap(\.rows) {
      guard let (fate, receiver) = row.event.fate else { continue }
      if !seen.contains(fate) { seen.append(fate) }
      #expect(row.text.contains("is refused") == (fate == .refused), "\(row)")
      #expect(row.text.contains("the link is cut") == (fate == .cut), "\(row)")
      #expect(row.text.contains("nothing to say") == (fate == .unsaid), "\(row)")
      #expect(row.shown?.replica == (fate == .taken || fate == .refused ? receiver : nil), "\(row)")
    }
    #expect(seen.count == 5)
  }
}

extension Trace.Event {
  /// What became of a message in this step, and for whom it was.
  fileprivate var fate: (fate: Trace.Fate, receiver: Int)? {
    switch self {
    case .exchange(_, let to, let fate), .send(_, _, let to, let fate), .arrival(_, _, let to, let fate, _):
      (fate, to)
    case .operation, .loss, .incident, .note: nil
    }
  }
}
