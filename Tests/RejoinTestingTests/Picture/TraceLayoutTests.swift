import MutantZoo
@testable import RejoinTesting
import Testing

/// Where everything in a picture has its place.
struct TraceLayoutTests {
  private static let pictures: [(trace: Trace, layout: TraceLayout)] = {
    let traces =
      (0..<300).map(PictureTraces.random) + [PictureTraces.complete, PictureTraces.crowded(messages: 9)]
      + (2..<6).flatMap(PictureTraces.simulated)
    return traces.map { trace in
      (trace, TraceLayout(trace, heading: "A history of \(trace.rows.count) steps", footnote: "replay: 1BA"))
    }
  }()

  @Test func `no two things overlap, whatever the history`() {
    for (trace, layout) in Self.pictures {
      let things = layout.labels.map { ("\($0.text.lines)", $0.box) } + layout.marks.map { ("\($0)", $0.box) }
      for (index, one) in things.enumerated() {
        for other in things[..<index] where one.1.overlaps(other.1) {
          Issue.record("\(one) overlaps \(other)\n\(trace.text)")
        }
      }
    }
  }

  @Test func `no line runs through words, or through a mark that it does not begin or end at`() {
    for (trace, layout) in Self.pictures {
      for arrow in layout.arrows {
        for (start, end) in zip(arrow.points, arrow.points.dropFirst()) {
          let words = layout.labels.first { $0.box.isCrossed(from: start, to: end) }
          let mark = layout.marks.first {
            $0.centre != arrow.points.first && $0.centre != arrow.points.last
              && $0.box.isCrossed(from: start, to: end)
          }
          #expect(words == nil && mark == nil, "\(arrow)\n\(trace.text)")
        }
      }
    }
  }

  @Test func `no two messages share a piece of their way`() {
    for (trace, layout) in Self.pictures {
      let pieces = layout.arrows.flatMap { zip($0.points, $0.points.dropFirst()) }.filter {
        $0.x == $1.x && $0 != $1
      }
      for (index, one) in pieces.enumerated() {
        let other = pieces[..<index].first { $0.0.x == one.0.x && $0.0.y < one.1.y && one.0.y < $0.1.y }
        #expect(other == nil, "\(one)\n\(trace.text)")
      }
    }
  }

  @Test func `words stay inside their boxes, and everything inside the picture`() {
    for (trace, layout) in Self.pictures {
      for label in layout.labels {
        #expect(label.box.contains(label.textBox), "\(label)\n\(trace.text)")
        #expect(layout.size.contains(label.box), "\(label)\n\(trace.text)")
      }
      let boxes = layout.marks.map(\.box) + layout.stripes.map(\.box)
      let points = layout.arrows.flatMap(\.points)
      #expect(boxes.allSatisfy(layout.size.contains), "\(trace.text)")
      #expect(points.allSatisfy { layout.size.contains(Box(around: $0, reach: 5)) }, "\(trace.text)")
    }
  }

  @Test func `every step has its mark, its row and its words, and nothing else has`() {
    for (trace, layout) in Self.pictures {
      let expected = ExpectedPicture(trace)
      for kind in [.operation, .refusal, .silence, .cut, .loss, .save, .crash, .clock, .wrong]
        as [TraceLayout.Mark.Kind]
      {
        #expect(layout.marks.count { $0.kind == kind } == expected.marks[kind] ?? 0, "\(kind)\n\(trace.text)")
      }
      #expect(layout.arrows.count { $0.head == .atEnd } == expected.arrivals, "\(trace.text)")
      #expect(layout.arrows.count(where: \.isDashed) == expected.failedMessages, "\(trace.text)")
      #expect(layout.lanes.map(\.replica) == Array(0..<trace.replicaCount))
      #expect(layout.labels.count { $0.kind == .number } == trace.rows.count)
      #expect(layout.labels.count { $0.kind == .step } == trace.rows.count - expected.notes)
    }
  }

  @Test func `the histories that are looked at have everything that can be drawn`() {
    let marks = Set(Self.pictures.dropLast(2).flatMap { $0.layout.marks.map(\.kind) })
    #expect(marks.isSuperset(of: [.operation, .message, .refusal, .silence, .cut, .loss, .meeting]))
    #expect(marks.isSuperset(of: [.save, .crash, .clock, .wrong, .underWay]))
    #expect(Self.pictures.contains { $0.trace.replicaCount == 6 })
    #expect(
      Self.pictures.contains { picture in Flight.all(in: picture.trace).contains { $0.ends.count > 2 } })
  }

  @Test func `time goes downwards, a row a step`() {
    for (trace, layout) in Self.pictures {
      let rows = layout.stripes.map(\.box).filter { $0.width == layout.size.width }
      #expect(rows.count >= trace.rows.count)
      #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.bottom == $1.y }, "\(trace.text)")
      #expect(layout.arrows.allSatisfy { $0.points.first?.y ?? 0 <= $0.points.last?.y ?? 0 }, "\(trace.text)")
    }
  }

  @Test func `messages between neighbours go straight, and those side by side keep to tracks of their own`() {
    let straight = TraceLayout(PictureTraces.overtaking, heading: "").arrows.filter { $0.head == .atEnd }
    #expect(straight.map(\.points.count) == [2, 2])
    let tracks = TraceLayout(PictureTraces.crowded(messages: 5), heading: "").arrows.filter {
      $0.head == .atEnd
    }
    #expect(Set(tracks.map { $0.points[1].x }).count == 5)
    #expect(tracks.map { $0.points[1].x } == tracks.map { $0.points[1].x }.sorted(by: >), "they would cross")
  }

  @Test func `a message that arrives twice is one line with two heads`() throws {
    let layout = TraceLayout(PictureTraces.complete, heading: "")
    let message = try #require(Flight.all(in: PictureTraces.complete).first { $0.message == 2 })
    #expect(message.ends.map(\.row) == [5, 11])
    let first = try #require(layout.arrows.first { $0.head == .atEnd && $0.points.count == 4 })
    let second = try #require(layout.arrows.first { $0.points.first == first.points[2] })
    #expect(second.head == .atEnd)
    #expect(second.points.last?.x == first.points.last?.x)
  }

  @Test func `where a promise was broken is marked: the step, the replica, what it shows`() {
    let layout = TraceLayout(PictureTraces.complete, heading: "")
    #expect(layout.marks.filter(\.isFailure).map(\.kind) == [.crash])
    #expect(layout.stripes.count { $0.kind == .failure } == 1)
    let words = layout.labels.filter(\.isFailure).flatMap(\.text.lines)
    #expect(words == ["C", "C shows []", "[]"])
  }

  @Test func `of replicas that disagree, those outvoted are wrong, or all`() {
    func wrong(_ outcome: [String]) -> [Int] {
      let violation = Violation(oracle: .convergence, replica: nil, reason: "")
      return PictureTraces.make(replicas: outcome.count, [], outcome: outcome, violation).wrongReplicas
    }
    #expect(wrong(["1", "2", "1"]) == [1])
    #expect(wrong(["1", "2"]) == [0, 1])
    #expect(wrong(["1", "2", "1", "2", "3"]) == [0, 1, 2, 3, 4])
  }

  @Test func `a picture with a few replicas is narrow enough for a telephone`() {
    #expect(TraceLayout(PictureTraces.complete, heading: "").size.width <= 464)
    for replicas in 1...5 {
      let trace = PictureTraces.make(replicas: replicas, [], outcome: Array(repeating: "0", count: replicas))
      #expect(TraceLayout(trace, heading: "").size.width <= 500)
    }
  }
}

/// How often each thing is to be seen in the picture of a trace.
private struct ExpectedPicture {
  var marks: [TraceLayout.Mark.Kind: Int] = [:]
  var arrivals = 0
  var failedMessages = 0
  var notes = 0

  init(_ trace: Trace) {
    var underWay: Set<Int> = []
    for row in trace.rows {
      switch row.event {
      case .operation: marks[.operation, default: 0] += 1
      case .exchange(_, _, let fate): add(fate)
      case .send(let message, _, _, let fate):
        if fate == .underWay { underWay.insert(message) } else { add(fate) }
      case .arrival(let message, _, _, let fate, let isLast):
        add(fate)
        if isLast { underWay.remove(message) }
      case .loss(let message, _, _):
        marks[.loss, default: 0] += 1
        underWay.remove(message)
      case .incident(_, .save): marks[.save, default: 0] += 1
      case .incident(_, .crash): marks[.crash, default: 0] += 1
      case .incident(_, .clock): marks[.clock, default: 0] += 1
      case .note: notes += 1
      }
    }
    if !trace.failsWithinSteps { arrivals += underWay.count }
    if !trace.wrongReplicas.isEmpty { marks[.wrong] = trace.wrongReplicas.count }
  }

  private mutating func add(_ fate: Trace.Fate) {
    switch fate {
    case .taken, .underWay: arrivals += 1
    case .refused:
      arrivals += 1
      failedMessages += 1
      marks[.refusal, default: 0] += 1
    case .cut:
      failedMessages += 1
      marks[.cut, default: 0] += 1
    case .unsaid: marks[.silence, default: 0] += 1
    }
  }
}
