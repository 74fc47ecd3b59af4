/// Text as it fits into its place: made legible, wrapped and, where it is too long, shortened.
///
/// Widths are counted in columns, as the picture's font gives every character the same width.
struct FittedText: Hashable, Sendable {
  /// What fits, a line an element; the last one ends with an ellipsis when there was more.
  private(set) var lines: [String] = []

  /// All of it, when the lines do not hold it.
  private(set) var whole: String?

  /// The width of the widest line.
  var columns: Int { lines.map(Self.columns).max() ?? 0 }

  /// Fits a text into a number of columns and lines, both at least one.
  init(_ text: String, columns: Int, lines limit: Int) {
    let legible = text.legible
    var rest = Array(legible)[...]
    while !rest.isEmpty {
      let fitting = Self.prefix(of: rest, columns: columns)
      if fitting.count == rest.count {
        lines.append(String(rest))
        return
      }
      if lines.count == limit - 1 {
        lines.append(String(Self.prefix(of: rest, columns: columns - 1)) + "…")
        whole = legible
        return
      }
      let line = rest[fitting.endIndex] == " " ? fitting : Self.whole(fitting)
      lines.append(String(line))
      rest = rest[line.endIndex...].drop { $0 == " " }
    }
  }

  /// How many columns a text takes up.
  static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  private static func prefix(of text: ArraySlice<Character>, columns: Int) -> ArraySlice<Character> {
    var rest = columns
    return text.prefix { character in
      rest -= self.columns(of: character)
      return rest >= 0
    }
  }

  /// Leaves out a last word that does not end here, unless the line would become much too short.
  private static func whole(_ line: ArraySlice<Character>) -> ArraySlice<Character> {
    guard let blank = line.lastIndex(of: " "), blank - line.startIndex > line.count / 3 else { return line }
    return line[..<blank]
  }

  /// Two for pictographs and for the scripts of East Asia, one for everything else.
  private static func columns(of character: Character) -> Int {
    character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.isWide } ? 2 : 1
  }
}

extension Unicode.Scalar {
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE0F, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1_F000...0x1_FAFF, 0x2_0000...0x3_FFFD:
      true
    default: false
    }
  }

  /// What stands for this in a picture; itself unless it is invisible, moves others, or has no place in XML.
  fileprivate var legible: Unicode.Scalar {
    switch properties.generalCategory {
    case .control where value < 0x20: Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
    case .format where value == 0x200D: self
    case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
    default: self
    }
  }
}

extension String {
  /// The same with a sign for everything that cannot be shown on a line: control characters, marks that reorder
  /// text, heaps of accents.
  var legible: String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var legible = String.UnicodeScalarView()
    for character in self {
      let scalars = character.unicodeScalars
      let accents = scalars.count { $0.properties.generalCategory == .nonspacingMark && $0.value != 0xFE0F }
      if scalars.count > 8 || accents > 2 {
        legible.append("\u{FFFD}")
      } else {
        legible.append(contentsOf: scalars.lazy.map(\.legible))
      }
    }
    return String(legible)
  }
}
