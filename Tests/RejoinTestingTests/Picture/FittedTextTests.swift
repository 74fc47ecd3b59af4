@testable import RejoinTesting
import Testing

/// Text in little room.
struct FittedTextTests {
  @Test func `what fits stays as it is`() {
    let text = FittedText("A: set(1)", columns: 9, lines: 1)
    #expect(text.lines == ["A: set(1)"])
    #expect(text.whole == nil)
  }

  @Test func `lines break between words, and within a word that is too long`() {
    #expect(FittedText("one two three", columns: 7, lines: 3).lines == ["one two", "three"])
    #expect(FittedText("one two three", columns: 8, lines: 3).lines == ["one two", "three"])
    #expect(FittedText("one twothree", columns: 6, lines: 3).lines == ["one", "twothr", "ee"])
    #expect(FittedText("a bcdefghijk", columns: 6, lines: 3).lines == ["a bcde", "fghijk"])
  }

  @Test func `what does not fit ends with an ellipsis, and is kept as a whole`() {
    let text = FittedText("one two three four", columns: 7, lines: 2)
    #expect(text.lines == ["one two", "three …"])
    #expect(text.whole == "one two three four")
  }

  @Test func `pictographs and the scripts of East Asia take two columns`() {
    #expect(FittedText.columns(of: "ab") == 2)
    #expect(FittedText.columns(of: "語🙂👩‍👩‍👧‍👦") == 6)
    #expect(FittedText("語語語語", columns: 5, lines: 3).lines == ["語語", "語語"])
    #expect(FittedText("é…→Ж", columns: 4, lines: 1).lines == ["é…→Ж"])
  }

  @Test func `what cannot be seen gets a sign`() {
    #expect("a\u{0}\n\u{7F}b".legible == "a␀␊\u{FFFD}b")
    #expect("\u{202E}x\u{2028}\u{FFFF}".legible == "\u{FFFD}x\u{FFFD}\u{FFFD}")
    #expect("é e\u{301} 👩‍👩‍👧‍👦 ❤️ 🇬🇧".legible == "é e\u{301} 👩‍👩‍👧‍👦 ❤️ 🇬🇧")
    #expect("e\u{301}\u{301}\u{301}".legible == "\u{FFFD}")
  }

  @Test func `a line passes through a box or misses it`() {
    let box = Box(x: 10, y: 10, width: 20, height: 10)
    for x in stride(from: 0, through: 40, by: 2) {
      for y in stride(from: 0, through: 40, by: 2) {
        let (start, end) = (Point(x: x, y: 0), Point(x: y, y: 40))
        // The same from a thousand points of the line.
        let isSeen = (0...1_000).contains { step in
          let share = Double(step) / 1_000
          let (across, down) = (Double(x) + share * Double(y - x), share * 40)
          return across > 10 && across < 30 && down > 10 && down < 20
        }
        #expect(box.isCrossed(from: start, to: end) == isSeen, "\(start) \(end)")
      }
    }
  }
}
