import Testing

/// A place that breaks a rule.
struct Finding: CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// Fails the test once for each finding, with its file and line.
func report(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
  for finding in findings {
    Issue.record("\(finding.description)", sourceLocation: sourceLocation)
  }
}

extension String {
  /// The line without the blanks around it.
  var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }

  /// Whether `word` stands in the text with no letter, digit or underscore next to it.
  func containsWord(_ word: String) -> Bool {
    occurs(word) { before, after in !before.isWordByte && !after.isWordByte }
  }

  /// Whether `part` occurs with neighbours that are acceptable; the neighbour of an end is a blank.
  ///
  /// Compares bytes.
  func occurs(_ part: String, where isAcceptable: (_ before: UInt8, _ after: UInt8) -> Bool) -> Bool {
    let bytes = Array(utf8)
    let wanted = Array(part.utf8)
    let blank = UInt8(ascii: " ")
    guard let first = wanted.first, bytes.count >= wanted.count else { return false }
    for start in 0...(bytes.count - wanted.count)
    where bytes[start] == first && bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      let end = start + wanted.count
      if isAcceptable(start > 0 ? bytes[start - 1] : blank, end < bytes.count ? bytes[end] : blank) {
        return true
      }
    }
    return false
  }
}

extension UInt8 {
  /// Whether the byte may be part of a name.
  var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: self >= 0x80
    }
  }
}
