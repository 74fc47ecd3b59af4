import RejoinCore
import Testing

/// Bytes that were written once can be read for ever.
struct GoldenDeltaTests {
  @Test(arguments: GoldenDeltas.formatOne.indices)
  func `the committed bytes of format 1 are those that the encoder writes today`(index: Int) throws {
    let (name, delta) = GoldenDeltas.formatOne[index]
    #expect(try GoldenDeltas.bytes(name) == delta.encoded(), "\(name)")
  }

  @Test(arguments: GoldenDeltas.formatOne.indices)
  func `the committed bytes of format 1 mean what they meant`(index: Int) throws {
    let (name, delta) = GoldenDeltas.formatOne[index]
    let read = try Delta(decoding: GoldenDeltas.bytes(name))
    #expect(read == delta, "\(name)")
    #expect(read.winners == delta.winners, "\(name)")
    #expect(read.lives == delta.lives, "\(name)")
  }

  @Test func `every committed file belongs to the set`() throws {
    #expect(try GoldenDeltas.fileNames().sorted() == GoldenDeltas.formatOne.map(\.name).sorted())
  }
}
