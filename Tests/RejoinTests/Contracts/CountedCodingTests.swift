import Foundation
import Rejoin
import Testing

/// Counters and sets outside of records: plain JSON, like a number and a list.
struct CountedCodingTests {
  private struct Everything: Codable, Equatable {
    var counter: Counter
    var set: AddWinsSet<Int>
  }

  @Test func `a counter is a number and a set a list`() throws {
    let text = #"{"counter":7,"set":[3]}"#
    let read = try JSONDecoder().decode(Everything.self, from: Data(text.utf8))
    #expect(read == Everything(counter: 7, set: [3]))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(read), as: UTF8.self) == text)
  }

  @Test func `a counter beyond 64 bits is refused`() {
    var counter: Counter = 1
    counter.increment(by: .max)
    #expect(counter.value == 1)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([counter]) }
  }

  @Test func `a set behaves like a set`() {
    var set: AddWinsSet = ["a", "b"]
    let first = set.insert("a")
    let third = set.insert("c")
    let removed = set.remove("b")
    let again = set.remove("b")
    #expect((first, third, removed, again) == (false, true, true, false))
    #expect(set == ["c", "a"])
    #expect(set.count == 2)
    #expect(set.contains("c"))
    #expect(set.sorted() == ["a", "c"])
    #expect(Set([set]) == [["a", "c"]])
  }
}
