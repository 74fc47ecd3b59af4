/// SHA-1, for UUIDs of version 5 alone: they name things and keep nothing safe.
///
/// The core has no Foundation, and so no library to ask. Source: RFC 3174.
enum SHA1 {
  /// The five words of the hash.
  static func hash(_ message: [UInt8]) -> [UInt32] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += (UInt64(message.count) * 8).bigEndianBytes
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      absorb(padded[start..<start + 64], into: &state)
    }
    return state
  }

  /// One block of 64 bytes.
  private static func absorb(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = (0..<16).map { index in
      (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + 4 * index + $1]) }
    }
    for index in 16..<80 {
      words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: (b & c | ~b & d, 0x5a82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      (a, b, c, d, e) = (rotated(a, 5) &+ mixed &+ e &+ word &+ constant, a, rotated(b, 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
