import Foundation
import MutantZoo
@testable import RejoinTesting
import Testing

/// The picture as it is written.
struct TracePictureTests {
  @Test func `the picture of a real failure says what was done, what was broken and how to replay it`() throws
  {
    let counterexample = try #require(
      PropertyTest(TieByArrival<Mutant>.self).run(seed: 0, cases: 1_000).counterexample)
    let picture = ParsedPicture(counterexample.picture)
    #expect(picture.isWellFormed)
    let words = picture.elements("text").map(\.text).joined(separator: " ")
    for words in [
      "A: set(1)", "A shows 1", "B: set(2)", "Broken: convergence", "after everybody met everybody",
    ] {
      #expect(picture.elements("text").contains { $0.text.contains(words) }, "\(words)")
    }
    #expect(words.contains("TieByArrival<Mutant> breaks a promise: convergence"))
    #expect(words.contains("replay: \(counterexample.replayString)"))
    #expect(picture.elements("circle", class: "operation").count == 2)
    #expect(picture.elements("path", class: "lane").count == 2)
  }

  @Test func `every picture is well-formed, and draws as much as the layout holds`() {
    for trace in (0..<100).map(PictureTraces.random) + [PictureTraces.complete] {
      let layout = TraceLayout(trace, heading: "A history")
      let picture = ParsedPicture(layout.svg(title: "A history", description: trace.text))
      #expect(picture.isWellFormed, "\(trace.text)")
      #expect(picture.elements("text").map(\.text) == layout.labels.flatMap(\.text.lines))
      #expect(picture.elements("path", class: "lane").count == layout.lanes.count)
      #expect(picture.elements("path", class: "dashed").count == layout.arrows.count(where: \.isDashed))
      let operations = layout.marks.count { $0.kind == .operation }
      #expect(picture.elements("circle", class: "operation").count == operations)
    }
  }

  @Test func `a picture is one document that needs nothing else and fits any width`() throws {
    let picture = ParsedPicture(PictureTraces.complete.svg)
    let root = try #require(picture.elements.first)
    #expect(root.name == "svg")
    #expect(root.attributes["role"] == "img")
    #expect(root.attributes["viewBox"]?.hasPrefix("0 0 ") == true)
    #expect(root.attributes["width"] == "100%")
    #expect(root.attributes["height"] == nil)
    let title = try #require(picture.elements("title").first)
    #expect(title.parent == 0)
    #expect(title.text == "Broken: causality and preservation")
    #expect(picture.elements("desc").first?.text.contains("C shows []: it forgot the milk") == true)
    #expect(picture.elements("style").first?.text.contains("prefers-color-scheme:dark") == true)
    let names = Set(picture.elements.map(\.name))
    #expect(names == ["svg", "title", "desc", "style", "rect", "path", "circle", "text"])
    for trace in (0..<20).map(PictureTraces.random) {
      #expect(!trace.svg.replacing("http://www.w3.org/2000/svg", with: "").contains("://"))
      #expect(!trace.svg.contains("url("))
      #expect(!trace.svg.contains("href"))
    }
  }

  static let hostileTexts = [
    "<script>alert('&amp;')</script>", "\"]]> <!-- --> <?x?>",
    "\u{0}\u{1}\u{8}\t\r\n\u{B}\u{1B}[31m\u{7F}\u{9F}",
    "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 🇬🇧" + String(repeating: "語", count: 200),
    "\u{202E}back to front\u{2066}\u{FEFF}\u{2028}\u{FFFE}\u{FFFF}", "\u{301}", "", " ", "   ",
    "Z" + String(repeating: "\u{301}", count: 5_000), String(repeating: "x", count: 10_000),
    String(repeating: "a word ", count: 1_500),
  ]

  @Test(arguments: hostileTexts.indices)
  func `no operation's text breaks out of its place`(index: Int) throws {
    let text = Self.hostileTexts[index]
    let trace = PictureTraces.failure(of: text)
    let layout = TraceLayout(trace, heading: text, footnote: text)
    let tame = TraceLayout(PictureTraces.failure(of: "a"), heading: "a", footnote: "a")
    for label in layout.labels { #expect(label.box.contains(label.textBox)) }
    #expect(layout.size.width == tame.size.width)
    #expect(layout.size.height < 2 * tame.size.height)

    let picture = ParsedPicture(trace.svg)
    #expect(picture.isWellFormed)
    let names = Set(picture.elements.map(\.name))
    #expect(names.isSubset(of: ["svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"]))
    let written = picture.elements.map(\.text).joined()
    #expect(!written.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
  }

  @Test func `what was shortened is there as a whole, for whoever points at it`() throws {
    for text in Self.hostileTexts {
      let trace = PictureTraces.failure(of: text)
      let label = try #require(TraceLayout(trace, heading: "").labels.first { $0.kind == .step })
      let isLong = text.count > 200
      #expect((label.text.lines.last?.hasSuffix("…") == true) == isLong)
      let titles = ParsedPicture(trace.svg).elements("title")
      #expect(titles.contains { $0.text == "A: \(text.legible)" } == isLong)
    }
  }

  @Test func `a history makes the same picture each time`() {
    for seed in 0..<20 as Range<UInt64> {
      #expect(PictureTraces.random(seed: seed).svg == PictureTraces.random(seed: seed).svg)
    }
  }

  @Test func `a text may need another font: its width is then prescribed`() {
    let trace = PictureTraces.make(
      replicas: 1,
      [PictureTraces.row(.operation(replica: 0, ""), "A: 語"), PictureTraces.row(.note(""), "plain")],
      outcome: ["0"])
    let texts = ParsedPicture(trace.svg).elements("text")
    #expect(texts.first { $0.text == "A: 語" }?.attributes["textLength"] == "40")
    #expect(texts.first { $0.text == "plain" }?.attributes["textLength"] == nil)
  }

  @Test(arguments: [Palette.light, Palette.dark])
  func `colours stand out from every ground, for words more than for lines`(palette: Palette) throws {
    for ground in [palette.ground, palette.note, palette.alarm] {
      for ink in [
        palette.ink, palette.muted, palette.operation, palette.message, palette.fault, palette.failure,
      ] {
        #expect(try contrast(ink, ground) >= 4.5, "\(ink) on \(ground)")
      }
      #expect(try contrast(palette.lane, ground) >= 3, "\(palette.lane) on \(ground)")
    }
  }

  /// Source: W3C, *Web Content Accessibility Guidelines 2.2*, contrast ratio.
  private func contrast(_ one: String, _ other: String) throws -> Double {
    let (one, other) = (try luminance(one) + 0.05, try luminance(other) + 0.05)
    return max(one, other) / min(one, other)
  }

  private func luminance(_ colour: String) throws -> Double {
    let number = try #require(Int(colour.dropFirst(), radix: 16))
    let parts = [number >> 16, number >> 8 & 255, number & 255].map { part in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
