import RejoinCore
import Testing

/// Nesting is refused where the limit is passed, long before the thread's stack or patience ends.
struct DeepNestingTests {
  private static let levels = 100_000

  /// What no refusal may take, in milliseconds; most take far less than one.
  private static let bound = 100.0

  private func expect<Failure: Error & Equatable>(
    _ failure: Failure, _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let cost = Cost { #expect(throws: failure, sourceLocation: sourceLocation, performing: body) }
    #expect(cost.milliseconds < Self.bound, sourceLocation: sourceLocation)
  }

  private static let arrays = [UInt8]((0..<levels).flatMap { _ in [9, 1] as [UInt8] }) + [0]
  private static let maps = [UInt8]((0..<levels).flatMap { _ in [10, 1, 0] as [UInt8] }) + [0]
  private static let tooDeep = CodingError.overLimit("depth of a value", limit: Limits.valueDepth)

  @Test(arguments: [arrays, maps])
  func `100,000 levels of a value are refused, wherever it stands`(bytes: [UInt8]) {
    expect(Self.tooDeep) { _ = try Value(canonicalBytes: bytes) }
    let delta = HostileDeltas.values(count: 1, nameBytes: 1, value: bytes)
    expect(Self.tooDeep) { _ = try Delta(decoding: delta, checksChecksum: false) }
    var record = ByteWriter()
    record.write(4 as UInt8)
    record.write([UInt8](repeating: 1, count: 16))
    record.write([2, 0x61, 0])
    record.write(counted: bytes)
    expect(Self.tooDeep) { _ = try PackedRecord(validating: record.bytes) }
  }

  @Test(arguments: ["[", "{\"\":", "{\"$map\":{\"\":"])
  func `100,000 levels of JSON are refused`(level: String) throws {
    let text = Array(String(repeating: level, count: Self.levels).utf8)
    let cost = Cost {
      let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
      #expect(error?.problem == .overLimit("depth of the text", limit: Limits.jsonDepth))
    }
    #expect(cost.milliseconds < Self.bound)
  }

  @Test func `a tree of JSON may be 64 deep as a value, and no deeper`() throws {
    func text(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    let deepest = try Value(json: JSON(parsing: text(Limits.valueDepth)))
    #expect(try Value(canonicalBytes: deepest.canonicalBytes) == deepest)
    let error = #expect(throws: JSONError.self) {
      try Value(json: JSON(parsing: text(Limits.valueDepth + 1)))
    }
    #expect(error?.problem == .overLimit("depth of a value", limit: Limits.valueDepth))
    #expect(throws: Self.tooDeep) { try Value.array([deepest]).validated() }
    #expect(throws: Self.tooDeep) { try Value(canonicalBytes: Value.array([deepest]).canonicalBytes) }
  }
}
