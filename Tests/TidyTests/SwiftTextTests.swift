import Testing

/// The rules stand on these: what is taken for code decides what they see.
struct SwiftTextTests {
  @Test func `code and comments are told apart`() {
    let text = SwiftText("let a = 1 // one\n/* two /* nested */ still */ let b = 2\n/// three")
    #expect(text.code.map(\.trimmed) == ["let a = 1", "let b = 2", ""])
    #expect(text.comments.map(\.trimmed) == ["// one", "/* two /* nested */ still */", "/// three"])
  }

  @Test func `the text of a string is neither, however the string is delimited`() {
    let sources = [
      #"f("// no", "\"/*", `a // name`) // yes"#,
      ##"f(#"a " \ // no"#, #"\#(x)/*"#) // yes"##,
    ]
    for source in sources {
      #expect(SwiftText(source).comments.map(\.trimmed) == ["// yes"])
    }
    let multiline = SwiftText("let a = \"\"\"\n  // no \"quoted\"\n  let b\n  \"\"\"\nlet c // yes")
    #expect(multiline.code.map(\.trimmed) == ["let a =", "", "", "", "let c"])
    #expect(multiline.comments.map(\.trimmed) == ["", "", "", "", "// yes"])
  }

  @Test func `an interpolation is code, and so is what follows its string`() {
    let text = SwiftText(#"print("a \(first("b", (2))) c \(second)", third)"#)
    for name in ["print", "first", "second", "third"] {
      #expect(text.code.contains { $0.containsWord(name) })
    }
    #expect(!text.code.contains { $0.containsWord("a") || $0.containsWord("b") || $0.containsWord("c") })
  }

  @Test func `a word is found between blanks and signs only`() {
    #expect("(unsafe x)".containsWord("unsafe"))
    #expect("unsafe".containsWord("unsafe"))
    #expect(!"unsafeBitCast, isunsafe, un_unsafe".containsWord("unsafe"))
  }
}
