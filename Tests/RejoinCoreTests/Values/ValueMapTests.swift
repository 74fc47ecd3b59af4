import RejoinCore
import Testing

/// Maps that are made of pairs in whatever order.
struct ValueMapTests {
  @Test func `of several values of one name the last counts`() {
    #expect(ValueMap([("b", 1), ("a", 2), ("b", 3), ("a", 4)]) == ["a": 4, "b": 3])
    #expect(ValueMap([("a", 1), ("a", 2)]) == ["a": 2])
    #expect(ValueMap([("é", 1), ("e\u{301}", 2)]).entries.count == 2, "names are compared by their bytes")
  }

  /// Each before the ones that are there already, they would take minutes.
  @Test(.timeLimit(.minutes(1)))
  func `names in descending order cost no more than sorting them`() {
    let count = 700_000
    let map = ValueMap((0..<count).lazy.map { ("n\(2_000_000 - $0)", .int(Int64($0))) })
    #expect(map.entries.count == count)
    #expect(map.entries.first?.name == "n\(2_000_000 - count + 1)")
    #expect(map["n2000000"] == 0)
  }
}
