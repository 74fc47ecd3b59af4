import RejoinTesting
import Testing

/// Histories that somebody else wrote down.
struct OwnTraceTests {
  private static let rows = [
    Trace.Row(.operation(replica: 0, "edit"), text: "ada edits", shown: Trace.Shown("x", on: 0)),
    Trace.Row(.exchange(from: 0, to: 2, .taken), text: "ada pushes", shown: Trace.Shown("x", on: 2)),
    Trace.Row(.exchange(from: 2, to: 1, .cut), text: "joan pulls, but the link is cut"),
    Trace.Row(.note("evening"), text: "evening"),
  ]

  @Test func `can be read and drawn like those of the simulator`() {
    let trace = Trace(replicaCount: 3, rows: Self.rows, outcome: ["x", "y", "x"])
    #expect(trace.violation == nil && trace.skippedSteps == 0 && !trace.failsWithinSteps)
    #expect(trace.text.hasPrefix("  1  ada edits   A shows x\n  2  ada pushes   C shows x\n"))
    #expect(trace.text.hasSuffix("A shows x, B shows y, C shows x"))
    let page = ParsedPicture(HistoryReport(title: "A day", trace: trace).html)
    #expect(page.isWellFormed)
    #expect(page.elements("path", class: "lane").count == 3)
    #expect(page.elements("td").map(\.text).contains("joan pulls, but the link is cut"))
  }

  @Test func `name only replicas that there are`() async {
    await #expect(processExitsWith: .failure) {
      _ = Trace(
        replicaCount: 1, rows: [Trace.Row(.exchange(from: 0, to: 1, .taken), text: "")], outcome: [""])
    }
    await #expect(processExitsWith: .failure) {
      _ = Trace(
        replicaCount: 1, rows: [Trace.Row(.note(""), text: "", shown: Trace.Shown("", on: 1))], outcome: [""])
    }
    await #expect(processExitsWith: .failure) { _ = Trace(replicaCount: 2, rows: [], outcome: [""]) }
  }
}
