/// Bytes as text of the standard alphabet with padding (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let padding = UInt8(ascii: "=")

  /// Stands in `worths` for what is no digit.
  private static let none: UInt8 = 0xff

  /// The worth of each byte as a digit.
  private static let worths: [UInt8] = {
    var worths = [UInt8](repeating: none, count: 256)
    for (worth, digit) in alphabet.enumerated() { worths[Int(digit)] = UInt8(worth) }
    return worths
  }()

  /// The text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      let first = UInt32(bytes[start]) << 16
      let second = count > 1 ? UInt32(bytes[start + 1]) << 8 : 0
      let group = first | second | (count > 2 ? UInt32(bytes[start + 2]) : 0)
      text.append(alphabet[Int(group >> 18)])
      text.append(alphabet[Int(group >> 12 & 0x3f)])
      text.append(count > 1 ? alphabet[Int(group >> 6 & 0x3f)] : padding)
      text.append(count > 2 ? alphabet[Int(group & 0x3f)] : padding)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`; nil unless it is exactly what `encode` writes.
  ///
  /// It has all of its padding, no white space, and no bits set that belong to no byte: bytes have one text.
  package static func decode(_ text: String) -> [UInt8]? {
    let worths = worths
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    let missing = digits.suffix(2).reversed().prefix(while: { $0 == padding }).count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var group: UInt32 = 0
    for index in 0..<digits.count - missing {
      let worth = worths[Int(digits[index])]
      guard worth != none else { return nil }
      group = group << 6 | UInt32(worth)
      guard index % 4 > 0 else { continue }
      let spare = UInt32(6 - 2 * (index % 4))
      bytes.append(UInt8(truncatingIfNeeded: group >> spare))
    }
    let spareBits = UInt32(2 * missing)
    guard group & (1 << spareBits - 1) == 0 else { return nil }
    return bytes
  }
}
