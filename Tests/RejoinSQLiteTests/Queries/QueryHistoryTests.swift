import TestSupport
import Testing

/// Whatever happened, and whichever plan finds them: the records of a query are those of a filter over all records.
struct QueryHistoryTests {
  @Test(arguments: StoreKind.allCases, Seeds.chunks(count: 120, size: 40))
  func `queries find what a filter over all records finds`(_ kind: StoreKind, chunk: Seeds.Chunk) throws {
    for seed in chunk.seeds {
      try withStores(kind) { stores in
        var history = try QueryHistory(seed: seed, stores)
        do {
          try history.run(steps: 40)
        } catch {
          Issue.record(
            """
            \(error)
            \(Seeds.replay(seed, suite: "QueryHistoryTests"))
            \(history.trace.joined(separator: "\n"))
            """)
        }
      }
    }
  }
}
