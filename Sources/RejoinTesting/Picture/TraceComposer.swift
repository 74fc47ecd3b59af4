/// Places everything of a trace from the top of the picture to its bottom.
struct TraceComposer {
  let trace: Trace
  let flights: [Flight]
  let wrongReplicas: [Int]
  let grid: TraceGrid
  private(set) var layout = TraceLayout()

  /// Where the next thing goes.
  private var y = TraceGrid.margin

  /// The rows in which the arrows begin and end: the steps, and one more if something comes after them.
  private var rows: [Box] = []

  init(_ trace: Trace, heading: String, footnote: String?) {
    self.trace = trace
    flights = Flight.all(in: trace)
    wrongReplicas = trace.wrongReplicas
    grid = TraceGrid(trace, flights)
    placeHeading(heading)
    let top = placeLetters()
    for (index, row) in trace.rows.enumerated() { place(row, number: trace.skippedSteps + index + 1) }
    placeLeftOvers()
    placeMeeting()
    placeOutcomes(from: top)
    for flight in flights { place(flight) }
    placeVerdict()
    if let footnote { placeFullWidth(.footnote, footnote, lines: 4) }
    layout.size = Box(x: 0, y: 0, width: grid.width, height: y + TraceGrid.margin)
  }

  // MARK: Above and below the steps

  private mutating func placeHeading(_ heading: String) {
    placeFullWidth(.heading, heading, lines: 3)
    y += 8
  }

  /// The replicas' letters; returns where their lines begin.
  private mutating func placeLetters() -> Int {
    for (replica, x) in grid.lanes.enumerated() {
      let width = 2 * TraceGrid.laneReach - 2
      let box = Box(x: x - width / 2, y: y, width: width, height: 24)
      let text = FittedText(Step<Never>.name(replica), columns: 4, lines: 1)
      layout.labels.append(
        TraceLayout.Label(kind: .letter, box: box, text: text, isFailure: wrongReplicas.contains(replica)))
    }
    y += 24
    defer { y += 4 }
    return y
  }

  private mutating func placeOutcomes(from top: Int) {
    y += 10
    layout.lanes = grid.lanes.enumerated().map { replica, x in
      TraceLayout.Lane(replica: replica, x: x, top: top, bottom: y)
    }
    guard trace.outcome.count == trace.replicaCount else { return }
    let texts = trace.outcome.map { FittedText($0, columns: grid.outcomeColumns, lines: 2) }
    let style = TextStyle(.outcome)
    let (width, height) = (
      grid.outcomeColumns * style.advance + 4, (texts.map(\.lines.count).max() ?? 1) * style.lineHeight + 10
    )
    for (replica, x) in grid.lanes.enumerated() {
      let isWrong = wrongReplicas.contains(replica)
      let box = Box(x: x - width / 2, y: y, width: width, height: height)
      layout.labels.append(
        TraceLayout.Label(kind: .outcome, box: box, text: texts[replica], isFailure: isWrong))
      if isWrong { mark(.wrong, Point(x: x, y: y + height + 12)) }
    }
    var label = words(.note, "what each shows in the end", lines: 1)
    label.box.y = y + (height - label.box.height) / 2
    layout.labels.append(label)
    y += height + (wrongReplicas.isEmpty ? 0 : 22)
  }

  /// What was violated, and who shows what.
  private mutating func placeVerdict() {
    y += 10
    let top = y
    y += 8
    if let violation = trace.violation {
      let place = violation.replica.map { " at \(Step<Never>.name($0))" } ?? ""
      placeFullWidth(.verdict, "Broken\(place): \(violation.oracle.rawValue)", lines: 2, inset: 12)
      placeFullWidth(.reason, violation.reason, lines: 6, inset: 12)
    } else {
      placeFullWidth(.verdict, "No promise was broken", lines: 1, inset: 12)
    }
    for line in trace.outcomeLines { placeFullWidth(.shown, line, lines: 2, inset: 12) }
    y += 8
    let box = Box(
      x: TraceGrid.margin, y: top, width: grid.width - 2 * TraceGrid.margin, height: y - top)
    layout.stripes.append(TraceLayout.Stripe(kind: trace.violation == nil ? .peace : .verdict, box: box))
    y += 8
  }

  // MARK: Steps

  private mutating func place(_ row: Trace.Row, number: Int) {
    let isNote = if case .note = row.event { true } else { false }
    let isFailure = trace.failsWithinSteps && number == trace.rows.count
    var words = [self.words(isNote ? .note : .step, row.text, lines: 3)]
    if let shown = row.shown {
      let text = "\(Step<Never>.name(shown.replica)) shows \(shown.observation)"
      words.append(self.words(.shown, text, lines: 2, isFailure: isFailure))
    }
    let box = placeRow(words, height: isNote ? 0 : 36, isNote ? .note : isFailure ? .failure : .step)
    placeNumber(number, in: box)
    place(row.event, in: box, isFailure: isFailure)
  }

  private mutating func place(_ event: Trace.Event, in row: Box, isFailure: Bool) {
    let y = row.centre.y
    func lane(_ replica: Int) -> Point { Point(x: grid.lanes[replica], y: y) }
    switch event {
    case .operation(let replica, _): mark(.operation, lane(replica), isFailure)
    case .incident(let replica, let incident):
      switch incident {
      case .save: mark(.save, lane(replica), isFailure)
      case .crash: mark(.crash, lane(replica), isFailure)
      case .clock: mark(.clock, lane(replica), isFailure)
      }
    case .exchange(let from, let to, let fate): placeMessage(lane(from), lane(to), fate, isFailure)
    case .send(_, let from, let to, let fate):
      // Under way, it is drawn with its end.
      if fate == .underWay {
        mark(.message, lane(from))
      } else {
        placeMessage(lane(from), lane(to), fate, false)
      }
    case .arrival(_, _, let to, let fate, _):
      mark(fate == .refused ? .refusal : .message, lane(to), isFailure)
    case .loss(let message, _, _):
      guard let flight = flights.first(where: { $0.message == message }) else { return }
      mark(.loss, Point(x: grid.trackX(of: flight), y: y))
    case .note: break
    }
  }

  /// A message whose whole way is in one row.
  private mutating func placeMessage(_ from: Point, _ to: Point, _ fate: Trace.Fate, _ isFailure: Bool) {
    guard from != to, fate != .unsaid else { return mark(.silence, from) }
    mark(.message, from)
    switch fate {
    case .cut:
      let wall = Point(x: to.x + (from.x < to.x ? -7 : 7), y: to.y)
      mark(.cut, wall)
      layout.arrows.append(TraceLayout.Arrow(points: [from, wall], head: .none, isDashed: true))
    case .taken, .refused, .underWay, .unsaid:
      mark(fate == .refused ? .refusal : .message, to, isFailure)
      layout.arrows.append(
        TraceLayout.Arrow(
          points: [from, to], head: .atEnd, isDashed: fate == .refused))
    }
  }

  // MARK: After the steps

  /// What was still under way after the last step: it arrives now, unless the history ended there.
  private mutating func placeLeftOvers() {
    let leftOver = flights.filter { $0.lastRow == trace.rows.count }
    guard !leftOver.isEmpty else { return }
    let text = trace.failsWithinSteps ? "still under way" : "what is under way arrives"
    let row = placeRow([words(.note, text, lines: 1)], height: trace.failsWithinSteps ? 0 : 36, .step)
    for flight in leftOver {
      let kind: TraceLayout.Mark.Kind = trace.failsWithinSteps ? .underWay : .message
      let centre = Point(x: endX(of: flight, .leftOver), y: row.centre.y)
      if !layout.marks.contains(where: { $0.centre == centre }) { mark(kind, centre) }
    }
  }

  private mutating func placeMeeting() {
    guard !trace.failsWithinSteps else { return }
    let text = words(.note, "everybody meets everybody", lines: 1)
    let row = placeRow([text], height: 36, trace.violation == nil ? .note : .failure)
    for (replica, x) in grid.lanes.enumerated() {
      mark(.meeting, Point(x: x, y: row.centre.y), wrongReplicas.contains(replica))
    }
    for (left, right) in zip(grid.lanes, grid.lanes.dropFirst()) {
      let points = [Point(x: left, y: row.centre.y), Point(x: right, y: row.centre.y)]
      layout.arrows.append(
        TraceLayout.Arrow(points: points, head: .atBothEnds))
    }
  }

  /// The arrows of a message that was under way: straight where that is clear of everything, else along its track.
  private mutating func place(_ flight: Flight) {
    let track = grid.trackX(of: flight)
    let start = Point(x: grid.lanes[flight.sender], y: rows[flight.start].centre.y)
    var way = [start, Point(x: track, y: rows[flight.start].bottom)]
    for end in flight.ends {
      let row = rows[end.row]
      let point = Point(x: endX(of: flight, end.kind), y: row.centre.y)
      let branch = Point(x: track, y: row.y)
      let isStraight = flight.ends.count == 1 && isClear(start, point, flight)
      layout.arrows.append(
        TraceLayout.Arrow(
          points: isStraight ? [start, point] : way + [branch, point],
          head: point.x == track ? .none : .atEnd, isDashed: end.kind == .refused))
      way = [branch]
    }
  }

  /// A message ends at its receiver, or on its way there.
  private func endX(of flight: Flight, _ kind: Flight.End.Kind) -> Int {
    let isOnTheWay = kind == .lost || kind == .leftOver && trace.failsWithinSteps
    return isOnTheWay ? grid.trackX(of: flight) : grid.lanes[flight.receiver]
  }

  /// Whether a straight arrow keeps away from all marks but its own, and is short where others are under way too.
  private func isClear(_ start: Point, _ end: Point, _ flight: Flight) -> Bool {
    let isAlone = !flights.contains { other in
      other.message != flight.message && other.gap == flight.gap
        && other.start < flight.lastRow && flight.start < other.lastRow
    }
    return flight.lastRow - flight.start <= (isAlone ? 5 : 3)
      && !layout.marks.contains {
        $0.centre != start && $0.centre != end && $0.box.grown(by: 3).isCrossed(from: start, to: end)
      }
  }

  // MARK: Parts

  private mutating func mark(_ kind: TraceLayout.Mark.Kind, _ centre: Point, _ isFailure: Bool = false) {
    layout.marks.append(TraceLayout.Mark(kind: kind, centre: centre, isFailure: isFailure))
  }

  /// Makes a row of some words, one below the other, in its middle.
  private mutating func placeRow(
    _ words: [TraceLayout.Label], height: Int, _ kind: TraceLayout.Stripe.Kind
  ) -> Box {
    let wordsHeight = words.reduce(0) { $0 + $1.box.height }
    let box = Box(x: 0, y: y, width: grid.width, height: max(wordsHeight + 12, height))
    var top = y + (box.height - wordsHeight) / 2
    for var label in words {
      label.box.y = top
      top = label.box.bottom
      layout.labels.append(label)
    }
    layout.stripes.append(TraceLayout.Stripe(kind: kind, box: box))
    rows.append(box)
    y = box.bottom
    return box
  }

  private mutating func placeNumber(_ number: Int, in row: Box) {
    let box = Box(x: TraceGrid.margin, y: row.centre.y - 8, width: grid.numberWidth, height: 16)
    layout.labels.append(
      TraceLayout.Label(
        kind: .number, box: box, text: FittedText("\(number)", columns: grid.numberColumns, lines: 1)))
  }

  private mutating func placeFullWidth(
    _ kind: TraceLayout.Label.Kind, _ text: String, lines: Int, inset: Int = 0
  ) {
    var label = words(kind, text, lines: lines, from: TraceGrid.margin + inset, to: TraceGrid.margin + inset)
    label.box.y = y
    y = label.box.bottom
    layout.labels.append(label)
  }

  /// Words to the right of the lanes, or elsewhere; how far down is for others to say.
  private func words(
    _ kind: TraceLayout.Label.Kind, _ text: String, lines: Int, isFailure: Bool = false,
    from left: Int? = nil, to right: Int = TraceGrid.margin
  ) -> TraceLayout.Label {
    let style = TextStyle(kind)
    let x = left ?? grid.wordsX
    let columns = (grid.width - right - x) / style.advance
    let fitted = FittedText(text, columns: columns, lines: lines)
    let box = Box(
      x: x, y: 0, width: columns * style.advance, height: fitted.lines.count * style.lineHeight)
    return TraceLayout.Label(kind: kind, box: box, text: fitted, isFailure: isFailure)
  }
}

extension TraceLayout {
  init(_ trace: Trace, heading: String, footnote: String? = nil) {
    self = TraceComposer(trace, heading: heading, footnote: footnote).layout
  }
}
