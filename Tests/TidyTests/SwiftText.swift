/// Swift source taken apart: code here, comments there, line by line; the text of strings in neither.
///
/// Knows strings with delimiters and several lines, interpolations (which are code), nested block comments and
/// names in backticks (which are left out as strings are). Does not know regular expression literals.
struct SwiftText {
  /// The lines with blanks in the place of all that is not code.
  let code: [String]

  /// The lines with blanks in the place of all that is no comment.
  let comments: [String]

  init(_ text: String) {
    var scanner = SwiftScanner(bytes: Array(text.utf8))
    scanner.scanCode(isInterpolation: false)
    code = Self.lines(scanner.code)
    comments = Self.lines(scanner.comments)
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: ASCII.newline, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

private struct SwiftScanner {
  let bytes: [UInt8]
  var code: [UInt8]
  var comments: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
    code = bytes.map { $0 == ASCII.newline ? $0 : ASCII.blank }
    comments = code
  }

  /// Reads code to the end of the text, or to the parenthesis that closes an interpolation.
  mutating func scanCode(isInterpolation: Bool) {
    var depth = 0
    while position < bytes.count {
      let hashes = hashCount(at: position)
      switch (byte(at: position), byte(at: position + 1)) {
      case (ASCII.slash, ASCII.slash): scanLineComment()
      case (ASCII.slash, ASCII.star): scanBlockComment()
      case (ASCII.backtick, _): scanRawName()
      case _ where byte(at: position + hashes) == ASCII.quote: scanString(hashes: hashes)
      case (ASCII.close, _) where isInterpolation && depth == 0: return position += 1
      case (let other, _):
        if other == ASCII.open { depth += 1 }
        if other == ASCII.close { depth -= 1 }
        code[position] = other
        position += 1
      }
    }
  }

  private mutating func scanLineComment() {
    while position < bytes.count, bytes[position] != ASCII.newline { copyComment(1) }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      switch (byte(at: position), byte(at: position + 1)) {
      case (ASCII.slash, ASCII.star):
        depth += 1
        copyComment(2)
      case (ASCII.star, ASCII.slash):
        depth -= 1
        copyComment(2)
      default:
        copyComment(1)
      }
    } while depth > 0 && position < bytes.count
  }

  private mutating func copyComment(_ count: Int) {
    for _ in 0..<count {
      comments[position] = bytes[position]
      position += 1
    }
  }

  private mutating func scanRawName() {
    repeat { position += 1 } while position < bytes.count && bytes[position] != ASCII.backtick
    position += 1
  }

  /// Reads a string from its first delimiter to its last; one of a single line ends with the line at the latest.
  private mutating func scanString(hashes: Int) {
    position += hashes
    let quotes = quoteCount(at: position) >= 3 ? 3 : 1
    position += quotes
    while position < bytes.count {
      if bytes[position] == ASCII.backslash, hashCount(at: position + 1) >= hashes {
        position += 1 + hashes
        let isInterpolation = byte(at: position) == ASCII.open
        position += 1
        if isInterpolation { scanCode(isInterpolation: true) }
      } else if quoteCount(at: position) >= quotes, hashCount(at: position + quotes) >= hashes {
        position += quotes + hashes
        return
      } else if quotes == 1, bytes[position] == ASCII.newline {
        return
      } else {
        position += 1
      }
    }
  }

  private func hashCount(at start: Int) -> Int { count(of: ASCII.hash, at: start) }

  private func quoteCount(at start: Int) -> Int { count(of: ASCII.quote, at: start) }

  private func count(of wanted: UInt8, at start: Int) -> Int {
    var end = start
    while byte(at: end) == wanted { end += 1 }
    return end - start
  }

  private func byte(at position: Int) -> UInt8 { position < bytes.count ? bytes[position] : 0 }
}

private enum ASCII {
  static let newline = UInt8(ascii: "\n")
  static let blank = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let backtick = UInt8(ascii: "`")
  static let backslash = UInt8(ascii: "\\")
  static let hash = UInt8(ascii: "#")
  static let slash = UInt8(ascii: "/")
  static let star = UInt8(ascii: "*")
  static let open = UInt8(ascii: "(")
  static let close = UInt8(ascii: ")")
}
