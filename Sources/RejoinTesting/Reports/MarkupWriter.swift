/// Writes pictures and pages as text, an element a line.
///
/// Knows XML, and HTML where that is written alike, and nothing of traces.
struct MarkupWriter: Sendable {
  private(set) var text = ""
  private var depth = 0

  /// Names and values, in the order in which they are written.
  typealias Attributes = [(name: String, value: String)]

  /// An element with elements in it.
  mutating func group(_ name: String, _ attributes: Attributes = [], _ content: (inout MarkupWriter) -> Void)
  {
    line("<\(name)\(Self.written(attributes))>")
    depth += 1
    content(&self)
    depth -= 1
    line("</\(name)>")
  }

  /// An element with nothing in it.
  mutating func element(_ name: String, _ attributes: Attributes) {
    line("<\(name)\(Self.written(attributes))/>")
  }

  /// An element with text in it.
  mutating func element(_ name: String, _ attributes: Attributes = [], text: String) {
    line("<\(name)\(Self.written(attributes))>\(Self.escaped(text))</\(name)>")
  }

  /// Markup that was written elsewhere.
  mutating func insert(_ markup: String) { text += markup }

  private mutating func line(_ text: String) {
    self.text += String(repeating: " ", count: depth) + text + "\n"
  }

  private static func written(_ attributes: Attributes) -> String {
    attributes.map { " \($0.name)=\"\(escaped($0.value))\"" }.joined()
  }

  /// Text without a sign that means something in XML, or has no place in it; only ends of lines stay.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for scalar in lines.map({ String($0).legible }).joined(separator: "\n").unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
