import MutantZoo
@testable import RejoinTesting
import Testing

/// The page about a history.
struct HistoryReportTests {
  private static let failure = PropertyTest(TieByArrival<Mutant>.self).run(seed: 0, cases: 1_000)

  @Test func `says what happened, what each replica showed, and who won`() throws {
    let trace = try #require(Self.failure.counterexample).trace
    let report = HistoryReport(
      title: "A tie", facts: [.init("seed", "0")], trace: trace,
      winners: [.init(place: "the register", value: "2", writer: "B", reason: "it came last")])
    let page = ParsedPicture(report.html)
    #expect(page.isWellFormed)
    #expect(page.elements("title").first?.text == "A tie")
    #expect(page.elements("h1").map(\.text) == ["A tie"])
    #expect(page.elements("p", class: "broken").first?.text.contains("convergence") == true)
    #expect(page.elements("dt").map(\.text) == ["seed"])
    #expect(
      page.elements("h2").map(\.text) == [
        "Who won, and why", "What each replica shows as time goes by", "The history as a picture",
      ])
    // One row for the winner, one for each step, one for the end; and a row of headings for each table.
    #expect(page.elements("table").count == 2)
    #expect(page.elements("tr").count == 2 + 1 + trace.rows.count + 1)
    #expect(page.elements("td").map(\.text).contains("it came last"))
    #expect(page.elements("svg").count == 1)
    #expect(page.elements("path", class: "lane").count == trace.replicaCount)
  }

  @Test func `says that every promise was kept, and leaves out what there is nothing to say about`() {
    let trace = Trace(
      replicaCount: 2, rows: [], outcome: ["1", "1"], violation: nil, failsWithinSteps: false)
    let report = HistoryReport(title: "Peace", trace: trace)
    let page = ParsedPicture(report.html)
    #expect(page.isWellFormed)
    #expect(page.elements("p", class: "kept").map(\.text) == ["Every promise was kept."])
    #expect(page.elements("dl").isEmpty)
    #expect(page.elements("h2").count == 2)
    #expect(page.elements("tr", class: "end").count == 1)
  }

  @Test func `needs no scripts and nothing from elsewhere, and tells phones and printers how wide it is`() {
    for trace in (0..<20).map(PictureTraces.random) + [PictureTraces.complete] {
      let html = HistoryReport(title: "A history", trace: trace).html
      #expect(ParsedPicture(html).isWellFormed)
      #expect(!html.contains("<script"))
      #expect(!html.replacing("http://www.w3.org/2000/svg", with: "").contains("://"))
      #expect(!html.contains("url("))
      #expect(html.contains("width=device-width"))
      #expect(html.contains("prefers-color-scheme:dark"))
    }
  }

  @Test(arguments: TracePictureTests.hostileTexts.indices)
  func `no text breaks out of its place`(index: Int) {
    let text = TracePictureTests.hostileTexts[index]
    let report = HistoryReport(
      title: text, facts: [.init(text, text)], trace: PictureTraces.failure(of: text),
      winners: [.init(place: text, value: text, writer: text, reason: text)])
    let page = ParsedPicture(report.html)
    #expect(page.isWellFormed)
    let tame = HistoryReport(
      title: "a", facts: [.init("a", "a")], trace: PictureTraces.failure(of: "a"),
      winners: [.init(place: "a", value: "a", writer: "a", reason: "a")])
    let outside = { (page: ParsedPicture) in
      page.elements.map(\.name).filter { !["text", "title", "g"].contains($0) }
    }
    #expect(outside(page) == outside(ParsedPicture(tame.html)))
  }
}
