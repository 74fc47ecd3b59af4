extension TraceLayout {
  /// The picture as a document of its own: no scripts, nothing from elsewhere, light and dark.
  func svg(title: String, description: String) -> String {
    var writer = MarkupWriter()
    let attributes = [
      ("xmlns", "http://www.w3.org/2000/svg"), ("class", "rejoin-trace"), ("role", "img"),
      ("viewBox", "0 0 \(size.width) \(size.height)"), ("width", "100%"),
      ("style", "display:block;height:auto;max-width:\(size.width * 5 / 4)px"),
    ]
    writer.group("svg", attributes) { writer in
      writer.element("title", text: title)
      writer.element("desc", text: description)
      writer.element("style", text: Self.styleSheet)
      writer.rectangle(size, "ground", corner: 8)
      for stripe in stripes { draw(stripe, &writer) }
      for lane in lanes { writer.path("lane", "M\(lane.x) \(lane.top)V\(lane.bottom)") }
      for arrow in arrows { draw(arrow, &writer) }
      for mark in marks { draw(mark, &writer) }
      for label in labels { draw(label, &writer) }
    }
    return writer.text
  }

  private static var styleSheet: String {
    """
    .rejoin-trace{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,\
    monospace}.rejoin-trace text{white-space:pre}.rejoin-trace .bold{font-weight:700}\
    .rejoin-trace path,.rejoin-trace circle,.rejoin-trace rect\
    {stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\
    .rejoin-trace .thin{stroke-width:1}.rejoin-trace .dashed{stroke-dasharray:5 4}\
    \(Palette.light.rules)@media(prefers-color-scheme:dark){\(Palette.dark.rules)}
    """
  }

  private func draw(_ stripe: Stripe, _ writer: inout MarkupWriter) {
    let box = stripe.box
    switch stripe.kind {
    case .step: writer.path("hair", "M0 \(box.bottom)h\(box.width)")
    case .note: writer.rectangle(box, "note")
    case .failure:
      writer.rectangle(box, "alarm")
      writer.rectangle(Box(x: 0, y: box.y, width: 4, height: box.height), "edge")
    case .verdict: writer.rectangle(box, "verdict", corner: 6)
    case .peace: writer.rectangle(box, "frame", corner: 6)
    }
  }

  // MARK: Words

  private func draw(_ label: Label, _ writer: inout MarkupWriter) {
    switch label.kind {
    case .letter, .outcome:
      writer.rectangle(label.box, label.isFailure ? "verdict" : "frame", corner: 5)
    case .heading, .number, .step, .shown, .note, .verdict, .reason, .footnote: break
    }
    guard let whole = label.text.whole else { return drawLines(of: label, &writer) }
    writer.group("g") { writer in
      writer.element("title", text: whole)
      drawLines(of: label, &writer)
    }
  }

  private func drawLines(of label: Label, _ writer: inout MarkupWriter) {
    let style = label.style
    let box = label.textBox
    for (index, line) in label.text.lines.enumerated() {
      let width = FittedText.columns(of: line) * style.advance
      let x =
        switch style.alignment {
        case .start: box.x
        case .middle: box.x + (box.width - width) / 2
        case .end: box.right - width
        }
      let baseline = box.y + index * style.lineHeight + (style.lineHeight + style.size * 7 / 10) / 2
      var attributes = [
        ("class", label.styleClass), ("x", "\(x)"), ("y", "\(baseline)"), ("font-size", "\(style.size)"),
      ]
      // Another font may come in for these, with widths of its own.
      if !line.utf8.allSatisfy({ $0 < 0x80 }) {
        attributes += [("textLength", "\(width)"), ("lengthAdjust", "spacingAndGlyphs")]
      }
      writer.element("text", attributes, text: line)
    }
  }

  // MARK: Arrows

  private func draw(_ arrow: Arrow, _ writer: inout MarkupWriter) {
    var points = arrow.points.map { Place(x: Double($0.x), y: Double($0.y)) }
    guard points.count > 1 else { return }
    let last = points.count - 1
    if arrow.head != .none {
      points[last] = points[last].moved(reach(at: arrow.points[last]), towards: points[last - 1])
    }
    if arrow.head == .atBothEnds {
      points[0] = points[0].moved(reach(at: arrow.points[0]), towards: points[1])
    }
    let kind = arrow.isDashed ? "fault" : "message"
    writer.path("\(kind) open\(arrow.isDashed ? " dashed" : "")", Self.way(through: points))
    if arrow.head != .none { drawHead(at: points[last], from: points[last - 1], kind, &writer) }
    if arrow.head == .atBothEnds { drawHead(at: points[0], from: points[1], kind, &writer) }
  }

  private func reach(at point: Point) -> Double {
    Double(marks.first { $0.centre == point }?.reach ?? 0)
  }

  /// A line with its corners rounded.
  private static func way(through points: [Place]) -> String {
    var way = "M\(points[0].written)"
    for index in points.indices.dropFirst().dropLast() {
      let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
      way += "L\(corner.moved(8, towards: before).written)"
      way += "Q\(corner.written) \(corner.moved(8, towards: after).written)"
    }
    return way + "L\(points[points.count - 1].written)"
  }

  private func drawHead(at tip: Place, from: Place, _ kind: String, _ writer: inout MarkupWriter) {
    let back = tip.moved(9, towards: from)
    let (across, down) = ((tip.y - back.y) * 4 / 9, (back.x - tip.x) * 4 / 9)
    let left = Place(x: back.x + across, y: back.y + down)
    let right = Place(x: back.x - across, y: back.y - down)
    writer.path("\(kind) thin", "M\(tip.written)L\(left.written)L\(right.written)Z")
  }

  // MARK: Marks

  private func draw(_ mark: Mark, _ writer: inout MarkupWriter) {
    let (x, y) = (mark.centre.x, mark.centre.y)
    if mark.isFailure { writer.circle(mark.centre, mark.reach, "failure open") }
    switch mark.kind {
    case .operation: writer.circle(mark.centre, 6, "operation thin")
    case .message, .meeting: writer.circle(mark.centre, 4, "message thin")
    case .underWay: writer.circle(mark.centre, 4, "message hollow")
    case .silence: writer.circle(mark.centre, 4, "plain hollow")
    case .refusal:
      writer.circle(mark.centre, 6, "fault hollow")
      writer.path("fault", "M\(x - 3) \(y + 3)l6 -6")
    case .cut: writer.path("fault", "M\(x) \(y - 5)v10")
    case .loss: writer.path("fault", "M\(x - 4) \(y - 4)l8 8m-8 0l8 -8")
    case .save:
      writer.rectangle(Box(around: mark.centre, reach: 5), "plain hollow", corner: 1)
      writer.path("plain", "M\(x - 2) \(y)h4")
    case .crash:
      writer.rectangle(Box(around: mark.centre, reach: 7), mark.isFailure ? "alarm" : "ground")
      writer.path("fault open", "M\(x - 9) \(y + 1)l5 -8l4 14l4 -14l5 8")
    case .clock:
      writer.circle(mark.centre, 6, "fault hollow")
      writer.path("fault open thin", "M\(x) \(y - 4)v4h3")
    case .wrong:
      writer.circle(mark.centre, 8, "failure thin")
      writer.path("inverse", "M\(x) \(y - 4)v4m0 4v0")
    }
  }
}

extension TraceLayout.Label {
  fileprivate var styleClass: String {
    switch kind {
    case .letter: isFailure ? "bold failed" : "bold"
    case .shown: isFailure ? "bold failed" : "quiet"
    case .outcome: isFailure ? "bold failed" : "ink"
    case .heading, .verdict: "bold"
    case .number, .note, .footnote: "quiet"
    case .step, .reason: "ink"
    }
  }
}

/// A place between those of the layout.
private struct Place {
  var x: Double
  var y: Double

  /// Some way on to another place, at most half the way.
  func moved(_ distance: Double, towards other: Place) -> Place {
    let (across, down) = (other.x - x, other.y - y)
    let length = (across * across + down * down).squareRoot()
    guard length > 0 else { return self }
    let share = min(distance / length, 0.5)
    return Place(x: x + across * share, y: y + down * share)
  }

  var written: String { "\(Self.tenths(x)) \(Self.tenths(y))" }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension MarkupWriter {
  fileprivate mutating func path(_ styles: String, _ way: String) {
    element("path", [("class", styles), ("d", way)])
  }

  fileprivate mutating func circle(_ centre: Point, _ radius: Int, _ styles: String) {
    element("circle", [("class", styles), ("cx", "\(centre.x)"), ("cy", "\(centre.y)"), ("r", "\(radius)")])
  }

  fileprivate mutating func rectangle(_ box: Box, _ styles: String, corner: Int = 0) {
    element(
      "rect",
      [
        ("class", styles), ("x", "\(box.x)"), ("y", "\(box.y)"), ("width", "\(box.width)"),
        ("height", "\(box.height)"), ("rx", "\(corner)"),
      ])
  }
}
