import RejoinCore
import Testing

/// No bytes make a reader take more memory than a small multiple of what they take themselves.
@Suite(.enabled(if: Memory.isCounted))
struct DecodingIsBoundedTests {
  /// How many times its bytes a text may take as a tree of JSON.
  private static let jsonFactor = 96

  private func expectBounded(_ bytes: [UInt8], _ name: String) {
    let peak = Memory.peak { _ = try? Delta(decoding: bytes, checksChecksum: false) }
    #expect(peak <= Memory.bound(ofDecoding: bytes.count), "\(name): \(peak) bytes for \(bytes.count)")
  }

  @Test(arguments: HostileDeltas.all.indices)
  func `reading a delta takes at most 64 KiB and 16 times its bytes`(index: Int) {
    let (name, bytes) = HostileDeltas.all[index]
    let peak = Memory.peak { _ = try? Delta(decoding: bytes, checksChecksum: false) }
    print("\(name): \(bytes.count) bytes, factor \(Double(peak) / Double(bytes.count))")
    expectBounded(bytes, name)
  }

  @Test(arguments: HostileDeltas.all.indices)
  func `nor does a part of a delta take more`(index: Int) {
    let (name, bytes) = HostileDeltas.all[index]
    for part in 1..<64 { expectBounded(Array(bytes[..<(bytes.count * part / 64)]), "\(part)/64 of \(name)") }
  }

  @Test func `all but the last hostile deltas are valid and come back from their bytes`() throws {
    for (name, bytes) in HostileDeltas.all.dropLast(3) {
      let delta = try Delta(decoding: bytes, checksChecksum: false)
      #expect(delta.encoded().dropLast(8) == bytes.dropLast(8), "\(name)")
    }
    for (name, bytes) in HostileDeltas.all.suffix(3) {
      #expect(throws: CodingError.self, "\(name)") { try Delta(decoding: bytes, checksChecksum: false) }
    }
  }
}
