import TestSupport
import Testing

/// Random histories on tiny domains, where ties and races are the rule: after every step the engine must equal a
/// replica that is too plain to be wrong.
struct HistoryTests {
  private static let histories = 10_000

  @Test(arguments: Seeds.chunks(count: histories))
  func `the engine equals the naive replica after every step of every history`(chunk: Seeds.Chunk) {
    for seed in chunk.seeds {
      var history = History(seed: seed)
      do {
        try history.run()
      } catch {
        Issue.record(
          """
          \(error)
          \(Seeds.replay(seed, suite: "HistoryTests"))
          \(history.trace.joined(separator: "\n"))
          """)
        return
      }
    }
  }
}
