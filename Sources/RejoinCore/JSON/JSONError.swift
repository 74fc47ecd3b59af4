/// Why a JSON text could not be read, or what it holds could not be used; nothing was changed.
///
/// No error carries user data: only what is wrong and where it stands.
public struct JSONError: Error, Hashable, Sendable {
  /// What is wrong.
  @nonexhaustive
  public enum Problem: Hashable, Sendable {
    /// The text ends in the middle of a value.
    case endsEarly

    /// Something else stands where `what` has to.
    case expected(_ what: String)

    /// Something follows the end of the value.
    case trailingText

    /// A number that JSON does not know, such as `01`, `1.` or `+1`.
    case malformedNumber

    /// A whole number that takes more than 64 bits, or a number beyond the largest double.
    case numberOutOfRange

    /// A control character that stands in a string as it is.
    case controlCharacter

    /// A backslash that is followed by something JSON does not know.
    case malformedEscape

    /// One half of a surrogate pair without the other.
    case loneSurrogate

    /// Bytes that are not UTF-8.
    case notUTF8

    /// The same name twice in one object.
    case duplicateName

    /// A bound of ``Limits`` would be exceeded: `what` names it.
    case overLimit(_ what: String, limit: Int)

    /// A tagged object whose content does not fit its tag.
    case malformedTag(_ tag: String)

    /// An object with one reserved name that this version does not know.
    case unknownTag

    /// A pointer that is not one of RFC 6901.
    case malformedPointer

    /// The text has nothing where the pointer leads; `step` counts the pointer's parts from 1.
    case nothingAtPointer(step: Int)
  }

  /// A place in a text.
  public struct Position: Hashable, Sendable {
    /// The line, counted from 1.
    public let line: Int

    /// The code point within the line, counted from 1.
    public let column: Int
  }

  /// What is wrong.
  public let problem: Problem

  /// Where it stands in the text; nil when the tree, and not the text, is at fault.
  public let position: Position?

  /// Makes an error about a tree.
  package init(_ problem: Problem) {
    self.problem = problem
    position = nil
  }

  /// Makes an error about what stands at `offset` of `bytes`.
  init(_ problem: Problem, at offset: Int, of bytes: [UInt8]) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0b1100_0000 != 0b1000_0000 {
        column += 1
      }
    }
    self.problem = problem
    position = Position(line: line, column: column)
  }
}

extension JSONError: CustomStringConvertible {
  /// Where it stands, what is wrong and what can be done.
  public var description: String {
    guard let position else { return "JSON: \(problem.explanation)" }
    return "JSON, line \(position.line), column \(position.column): \(problem.explanation)"
  }
}

extension JSONError.Problem {
  fileprivate var explanation: String {
    switch self {
    case .endsEarly:
      "the text ends in the middle of a value; pass the whole text."
    case .expected(let what):
      "expected \(what); correct the text."
    case .trailingText:
      "something follows the value; pass one value at a time."
    case .malformedNumber:
      "not a number of JSON; write digits without a leading zero or plus, with digits on both sides of a point."
    case .numberOutOfRange:
      "the number is out of range; keep whole numbers within 64 bits and others within a double, or write text."
    case .controlCharacter:
      "a control character stands in a string; write it as an escape, such as \\n."
    case .malformedEscape:
      "not an escape of JSON; double the backslash if one is meant."
    case .loneSurrogate:
      "half of a surrogate pair; write both halves, or the character itself."
    case .notUTF8:
      "the bytes are not UTF-8; convert the text to UTF-8."
    case .duplicateName:
      "the name stands twice in one object; keep one of the two."
    case .overLimit(let what, let limit):
      "the \(what) exceeds the limit of \(limit); split the value."
    case .malformedTag(let tag):
      "the content of a \(tag) object does not fit its tag; correct it, or wrap the object in {\"$map\": ...} "
        + "if it is meant as it is."
    case .unknownTag:
      "an object with one name that starts with $ is reserved, and this version does not know the name; upgrade "
        + "this replica, or wrap the object in {\"$map\": ...} if it is meant as it is."
    case .malformedPointer:
      "not a pointer; start it with / and write ~ as ~0 and / within a name as ~1 (RFC 6901)."
    case .nothingAtPointer(let step):
      "nothing stands where part \(step) of the pointer leads; check the names and indices up to there."
    }
  }
}
