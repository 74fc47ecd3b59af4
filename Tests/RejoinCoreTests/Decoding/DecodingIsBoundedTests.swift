import RejoinCore
import Testing

/// No bytes make a reader take more memory than a small multiple of what they take themselves.
@Suite(.enabled(if: Cost.countsAllocations))
struct DecodingIsBoundedTests {
  private func expectBounded(_ bytes: [UInt8], _ name: String) {
    let cost = Cost { _ = try? Delta(decoding: bytes, checksChecksum: false) }
    #expect(cost.peakBytes <= Cost.bound(ofDecoding: bytes.count), "\(name): \(bytes.count) bytes")
  }

  @Test(arguments: HostileDeltas.all.indices)
  func `reading a delta, or a part of one, takes at most 64 KiB and 16 times its bytes`(index: Int) {
    let (name, bytes) = HostileDeltas.all[index]
    for part in 1...16 { expectBounded(Array(bytes[..<(bytes.count * part / 16)]), "\(part)/16 of \(name)") }
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

  @Test func `checking a packed record takes at most 64 KiB and 16 times its bytes`() throws {
    for (name, bytes) in HostileDeltas.all.dropLast(3) {
      for part in try Delta(decoding: bytes, checksChecksum: false).records.prefix(3) {
        let packed = part.fragment.bytes
        let cost = Cost { _ = try? PackedRecord(validating: packed) }
        #expect(cost.peakBytes <= Cost.bound(ofDecoding: packed.count), "\(name): \(packed.count) bytes")
      }
    }
  }

  /// How many times its bytes a text may take as a tree of JSON.
  private static let jsonFactor = 48

  /// Elements of JSON that become as large a tree as their bytes can make.
  private static let elements = [
    "1,", "[],", "[1],", "{},", "{\"\":1},", "[[]],", "[{}],", "\"\",", "\"\\n\",", "\"sixteen letters.\",",
    "[[[[[[[[1]]]]]]]],", "{\"\":{\"\":{\"\":1}}},", "0.5,", "{\"$int\":\"1\"},",
  ]

  /// A list of an element: as many as make an array that grows by doubling hold the most for the least.
  private static func list(of element: String) -> [UInt8] {
    Array("[\(String(repeating: element, count: (1 << 14) + 1))1]".utf8)
  }

  private func expectBounded(_ cost: Cost, text: [UInt8]) {
    #expect(cost.peakBytes <= (64 << 10) + Self.jsonFactor * text.count, "\(text.count) bytes")
  }

  @Test(arguments: elements)
  func `reading JSON takes at most 64 KiB and 48 times its bytes`(element: String) {
    let text = Self.list(of: element)
    for bytes in [text, text.dropLast(), [UInt8(ascii: "[")] + text] {
      expectBounded(Cost { _ = try? JSON(parsing: bytes) }, text: bytes)
    }
  }

  @Test func `reading an object of many names takes at most 64 KiB and 48 times its bytes`() {
    let members = (0..<(1 << 14) + 1).map { "\"\(String($0, radix: 36))\":1" }.joined(separator: ",")
    let text = Array("{\(members)}".utf8)
    expectBounded(Cost { _ = try? JSON(parsing: text) }, text: text)
  }

  @Test(arguments: elements)
  func `taking a value from JSON takes no more than reading the text may`(element: String) throws {
    let text = Self.list(of: element)
    let json = try JSON(parsing: text)
    expectBounded(Cost { _ = try? Value(json: json) }, text: text)
  }

  @Test func `a text of more bytes than a tree may come from is refused unread`() {
    let text = [UInt8](repeating: UInt8(ascii: "["), count: Limits.jsonBytes + 1)
    let cost = Cost {
      let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
      #expect(error?.problem == .overLimit("bytes of the text", limit: Limits.jsonBytes))
    }
    #expect(cost.milliseconds < 100)
  }
}
