/// A history as a page for people: what happened, what each replica showed as time went by, and who won.
///
/// The page is one HTML document that needs nothing else, and no scripts.
public struct HistoryReport: Sendable {
  /// Something that is said once for the whole history.
  public struct Fact: Sendable {
    /// What it is about.
    public var name: String

    /// What there is to say.
    public var value: String

    /// Makes a fact.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The value that all agreed on at one place, and how it came about.
  public struct Winner: Sendable {
    /// Where: a record and a field, for instance.
    public var place: String

    /// What is shown there.
    public var value: String

    /// Who wrote it.
    public var writer: String

    /// Why it won.
    public var reason: String

    /// Makes a winner.
    public init(place: String, value: String, writer: String, reason: String) {
      self.place = place
      self.value = value
      self.writer = writer
      self.reason = reason
    }
  }

  /// What the page is called.
  public var title: String

  /// What is said above the history.
  public var facts: [Fact]

  /// What happened.
  public var trace: Trace

  /// Who won in the end.
  public var winners: [Winner]

  /// Makes a report.
  public init(title: String, facts: [Fact] = [], trace: Trace, winners: [Winner] = []) {
    self.title = title
    self.facts = facts
    self.trace = trace
    self.winners = winners
  }
}

extension HistoryReport {
  /// The page.
  public var html: String {
    var page = MarkupWriter()
    page.insert("<!DOCTYPE html>\n")
    page.group("html", [("lang", "en")]) { html in
      html.group("head") { head in
        head.element("meta", [("charset", "utf-8")])
        head.element("meta", [("name", "viewport"), ("content", "width=device-width, initial-scale=1")])
        head.element("title", text: title)
        head.insert("<style>\(Self.styles)</style>\n")
      }
      html.group("body") { body in
        body.group("main", [], content)
      }
    }
    return page.text
  }

  private func content(_ main: inout MarkupWriter) {
    main.element("h1", text: title)
    let verdict = trace.violation.map { "Broken: \($0)" } ?? "Every promise was kept."
    main.element("p", [("class", trace.violation == nil ? "kept" : "broken")], text: verdict)
    if !facts.isEmpty {
      main.group("dl") { list in
        for fact in facts {
          list.group("div") { pair in
            pair.element("dt", text: fact.name)
            pair.element("dd", text: fact.value)
          }
        }
      }
    }
    if !winners.isEmpty { section("Who won, and why", &main, winnerTable) }
    if trace.skippedSteps > 0 {
      main.element("p", text: "What follows begins after step \(trace.skippedSteps).")
    }
    section("What each replica shows as time goes by", &main, stateTable)
    section("The history as a picture", &main) { $0.insert(trace.svg) }
  }

  private func section(
    _ heading: String, _ main: inout MarkupWriter, _ content: (inout MarkupWriter) -> Void
  ) {
    main.group("section") { section in
      section.element("h2", text: heading)
      // Wide content scrolls by itself, so that the page never does sideways.
      section.group("div", [("class", "wide"), ("tabindex", "0")], content)
    }
  }

  private func winnerTable(_ section: inout MarkupWriter) {
    section.group("table") { table in
      Self.header(["where", "value", "written by", "why it won"], &table)
      table.group("tbody") { rows in
        for winner in winners {
          rows.group("tr") { row in
            row.element("th", [("scope", "row")], text: winner.place)
            for text in [winner.value, winner.writer, winner.reason] { row.element("td", text: text) }
          }
        }
      }
    }
  }

  private func stateTable(_ section: inout MarkupWriter) {
    let names = (0..<trace.replicaCount).map { Step<Never>.name($0) }
    section.group("table") { table in
      Self.header(["step", "what happens"] + names.map { "\($0) shows" }, &table)
      table.group("tbody") { rows in
        var shown: [Int: String] = [:]
        for (number, row) in zip((trace.skippedSteps + 1)..., trace.rows) {
          stateRow(number, row, &rows) { $0.observation != shown[$0.replica] }
          if let now = row.shown { shown[now.replica] = now.observation }
        }
        if !trace.failsWithinSteps { outcomeRow(&rows) }
      }
    }
  }

  private func stateRow(
    _ number: Int, _ row: Trace.Row, _ rows: inout MarkupWriter, isNew: (Trace.Shown) -> Bool
  ) {
    let isLast = trace.failsWithinSteps && number == trace.skippedSteps + trace.rows.count
    rows.group("tr", isLast ? [("class", "broken")] : []) { cells in
      cells.element("th", [("scope", "row")], text: "\(number)")
      cells.element("td", text: row.text)
      for replica in 0..<trace.replicaCount {
        // Only the replica that a step concerned can show something else than before.
        let text = row.shown.flatMap { $0.replica == replica && isNew($0) ? $0.observation : nil }
        cells.element("td", text == nil ? [("class", "same")] : [], text: text ?? "\u{b7}")
      }
    }
  }

  private func outcomeRow(_ rows: inout MarkupWriter) {
    rows.group("tr", [("class", trace.violation == nil ? "end" : "broken")]) { cells in
      cells.element("th", [("scope", "row")], text: "end")
      cells.element("td", text: "everybody meets everybody")
      for text in trace.outcome { cells.element("td", text: text) }
    }
  }

  private static func header(_ names: [String], _ table: inout MarkupWriter) {
    table.group("thead") { head in
      head.group("tr") { row in
        for name in names { row.element("th", [("scope", "col")], text: name) }
      }
    }
  }

  /// Colours as in the pictures; sizes that suit a telephone.
  private static var styles: String {
    func colours(_ palette: Palette) -> String {
      ":root{--ground:\(palette.ground);--ink:\(palette.ink);--muted:\(palette.muted);"
        + "--line:\(palette.lane);--failure:\(palette.failure);--note:\(palette.note);"
        + "--alarm:\(palette.alarm);--message:\(palette.message)}"
    }
    return colours(.light) + "@media (prefers-color-scheme:dark){\(colours(.dark))}"
      + """
      :root{color-scheme:light dark}
      body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
      main{max-width:76rem;margin:0 auto;padding:1rem}
      h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.15rem;margin-top:2rem}
      p.kept{color:var(--message);font-weight:600}p.broken{color:var(--failure);font-weight:600}
      p,td,dd{overflow-wrap:anywhere}
      dl{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin:0}
      dt{color:var(--muted);font-size:.85rem}dd{margin:0;font-variant-numeric:tabular-nums}
      .wide{overflow-x:auto}
      table{border-collapse:collapse;font-size:.9rem}
      th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
      td{min-width:4rem;max-width:22rem}
      thead th{white-space:nowrap;background:var(--note)}
      td.same{color:var(--muted)}
      tr.broken td,tr.broken th{background:var(--alarm)}tr.end td,tr.end th{background:var(--note)}
      """
  }
}
