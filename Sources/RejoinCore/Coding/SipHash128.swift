/// SipHash-1-3 with a result of 128 bits: the one keyed hash of the library.
///
/// It serves digests, derived identifiers and checksums. Whoever lacks the key cannot aim at a collision; whoever
/// has it is trusted with the data anyway.
/// Source: Aumasson, Bernstein, *SipHash: a fast short-input PRF* (INDOCRYPT 2012).
package struct SipHash128 {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var pending: UInt64 = 0
  private var count: UInt64 = 0

  /// Starts a hash under a key of 128 bits.
  package init(key0: UInt64, key1: UInt64) {
    v0 = key0 ^ 0x736f_6d65_7073_6575
    v1 = key1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
    v2 = key0 ^ 0x6c79_6765_6e65_7261
    v3 = key1 ^ 0x7465_6462_7974_6573
  }

  @inline(__always)
  private mutating func round() {
    v0 = v0 &+ v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 = v2 &+ v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 = v0 &+ v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 = v2 &+ v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }

  @inline(__always)
  private mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    v0 ^= word
  }

  /// Adds one byte.
  @inline(__always)
  package mutating func combine(_ byte: UInt8) {
    pending |= UInt64(byte) << (8 * (count & 7))
    count &+= 1
    if count & 7 == 0 {
      absorb(pending)
      pending = 0
    }
  }

  /// Adds the eight bytes of a word, least significant first.
  @inline(__always)
  package mutating func combine(_ word: UInt64) {
    let shift = 8 * (count & 7)
    count &+= 8
    if shift == 0 {
      absorb(word)
    } else {
      absorb(pending | word << shift)
      pending = word >> (64 - shift)
    }
  }

  /// Adds bytes, eight at a time.
  package mutating func combine(_ bytes: [UInt8]) {
    var index = 0
    while index < bytes.count, count & 7 != 0 {
      combine(bytes[index])
      index += 1
    }
    while index + 8 <= bytes.count {
      var word: UInt64 = 0
      for offset in 0..<8 { word |= UInt64(bytes[index + offset]) << UInt64(8 * offset) }
      combine(word)
      index += 8
    }
    while index < bytes.count {
      combine(bytes[index])
      index += 1
    }
  }

  /// Adds bytes.
  @inline(__always)
  package mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { combine(byte) }
  }

  /// Adds bytes with their count in front, so that neighbours cannot be confused.
  @inline(__always)
  package mutating func combine(counted bytes: some Swift.Collection<UInt8>) {
    combine(UInt64(bytes.count))
    combine(bytes)
  }

  /// The two halves of the result.
  package consuming func finalize() -> (UInt64, UInt64) {
    absorb(pending | (count & 0xff) << 56)
    v2 ^= 0xee
    round()
    round()
    round()
    let first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    round()
    round()
    round()
    return (first, v0 ^ v1 ^ v2 ^ v3)
  }
}
