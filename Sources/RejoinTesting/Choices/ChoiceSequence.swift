/// Every decision of one history, in order: a history can be replayed from it, and from nothing else.
public struct ChoiceSequence: Hashable, Sendable {
  /// The decisions.
  public var values: [UInt64]

  /// Where each step begins, in a sequence that was put together from steps; nil when each begins where the one before
  /// ended.
  ///
  /// A step that then asks for fewer choices leaves the others out, and one that asks for more makes some up.
  var stepStarts: [Int]?

  /// Makes a sequence.
  public init(_ values: [UInt64]) {
    self.values = values
  }
}

/// As text, five bits a character and a sixth to say that more follow; version 1 of the form begins with "1".
extension ChoiceSequence: LosslessStringConvertible {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Reads what ``description`` wrote; nil when it is anything else.
  public init?(_ description: String) {
    var characters = description.utf8.makeIterator()
    guard characters.next() == UInt8(ascii: "1") else { return nil }
    var values: [UInt64] = []
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let character = characters.next() {
      guard let digit = Self.alphabet.firstIndex(of: character), shift < 64 else { return nil }
      let bits = UInt64(digit & 31)
      guard (bits << shift) >> shift == bits else { return nil }
      value |= bits << shift
      if digit & 32 == 0 {
        values.append(value)
        value = 0
        shift = 0
      } else {
        shift += 5
      }
    }
    guard shift == 0 else { return nil }
    self.init(values)
  }

  /// The replay string: letters, digits, "-" and "_".
  public var description: String {
    var characters: [UInt8] = [UInt8(ascii: "1")]
    for value in values {
      var rest = value
      while rest > 31 {
        characters.append(Self.alphabet[Int(rest & 31) | 32])
        rest >>= 5
      }
      characters.append(Self.alphabet[Int(rest)])
    }
    return String(decoding: characters, as: UTF8.self)
  }
}
