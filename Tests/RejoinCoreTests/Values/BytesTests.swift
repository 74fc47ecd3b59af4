import RejoinCore
import TestSupport
import Testing

/// The quick ways to look at bytes agree with the plain ones.
struct BytesTests {
  @Test(arguments: 0..<40)
  func `a hash does not depend on how its bytes come`(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    for start in 0...min(count, 9) {
      var whole = SipHash128(key0: 1, key1: 2)
      var single = SipHash128(key0: 1, key1: 2)
      for byte in bytes[..<start] { whole.combine(byte) }
      whole.combine(Array(bytes[start...]))
      for byte in bytes { single.combine(byte) }
      whole.combine(7 as UInt8)
      single.combine(7 as UInt8)
      #expect(whole.finalize() == single.finalize())
    }
  }

  @Test(arguments: Seeds.chunks(count: 20))
  func `bytes are text exactly when they are UTF-8`(_ chunk: Seeds.Chunk) {
    let parts: [[UInt8]] = [
      [0x61], [0xc3, 0xa9], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0x80], [0xc3], [0xe2, 0x82],
      [0xf0, 0x9f, 0x98], [0x80], [0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xef, 0xbf, 0xbd], [0x00],
    ]
    for seed in chunk.seeds {
      var generator = SplitMix64(seed: seed)
      for _ in 0..<200 {
        let count = generator.next() % 12
        let bytes = (0..<count).flatMap { _ in parts[Int(generator.next() % UInt64(parts.count))] }
        let expected = String(validating: bytes, as: UTF8.self)
        let text = String(utf8: bytes[...])
        #expect(text.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
      }
    }
  }

  @Test(arguments: 0..<20)
  func `texts have the same bytes when none differs`(_ count: Int) {
    let text = String(repeating: "x", count: count)
    #expect(text.hasSameBytes(as: String(repeating: "x", count: count)))
    #expect(!text.hasSameBytes(as: text + "x"))
    for place in 0..<count {
      var other = Array(text.utf8)
      other[place] = 0x79
      #expect(!text.hasSameBytes(as: String(decoding: other, as: UTF8.self)))
    }
    #expect(!"é".hasSameBytes(as: "e\u{301}"))
  }

  @Test func `ids are written and read as UUIDs`() {
    let id = RecordID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
    let bytes: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]
    #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
    #expect(RecordID("01234567-89AB-cdef-fedc-ba9876543210") == id)
    #expect(id.bytes == bytes + bytes.reversed().map { $0 << 4 | $0 >> 4 })
    for text in [
      "", "01234567-89ab-cdef-fedc-ba987654321", "01234567-89ab-cdef-fedc-ba98765432100",
      "012345678-9ab-cdef-fedc-ba9876543210", "01234567-89ab-cdef-fedcb-a9876543210",
      "01234567-89ab-cdeg-fedc-ba9876543210", "01234567-89ab-cdef-fedc-ba987654321é",
    ] {
      #expect(RecordID(text) == nil)
    }
  }
}
