import RejoinCore
import TestSupport
import Testing

/// The JSON form of deltas: what the binary form says, and as strict.
struct DeltaJSONTests {
  private static let suite = "DeltaJSONTests"

  private func text(_ delta: Delta) -> [UInt8] { delta.json.bytes() }

  private func read(_ text: [UInt8]) throws -> Delta { try Delta(json: JSON(parsing: text)) }

  @Test func `every committed delta survives the way through JSON byte for byte`() throws {
    for name in try GoldenDeltas.fileNames() {
      let delta = try Delta(decoding: GoldenDeltas.bytes(name))
      #expect(try read(text(delta)).encoded() == delta.encoded(), "\(name)")
    }
  }

  @Test(arguments: Seeds.chunks(count: 400))
  func `deltas of every shape survive the way through JSON byte for byte`(_ chunk: Seeds.Chunk) throws {
    for seed in chunk.seeds {
      var deltas = GeneratedDeltas(seed: seed)
      let delta = deltas.delta()
      let text = text(delta)
      let back = try read(text)
      guard back.encoded() == delta.encoded(), self.text(back) == text else {
        Issue.record("\(delta)\n\(Seeds.replay(seed, suite: Self.suite))")
        return
      }
    }
  }

  @Test(arguments: Seeds.chunks(count: 400))
  func `what was changed on its way is refused or read, and never more`(_ chunk: Seeds.Chunk) throws {
    var refused = 0
    for seed in chunk.seeds {
      var deltas = GeneratedDeltas(seed: seed)
      var generator = SplitMix64(seed: seed)
      var bytes = text(deltas.delta())
      for _ in 0..<1 + generator.next() % 3 {
        let place = Int(generator.next() % UInt64(bytes.count))
        switch generator.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(ascii: "0"), at: place)
        }
      }
      do {
        let delta = try read(bytes)
        #expect(try Delta(decoding: delta.encoded()).encoded() == delta.encoded())
      } catch is JSONError {
        refused += 1
      } catch is DeltaJSONError {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  private static let empty =
    #""dataset":"00000000-0000-0000-0000-000000000001","from":{},"through":{"0000000000000001":"0000000000010000"}"#
  private static let stamp = "0000000000010000-0000000000000001"
  private static let id = "00000000-0000-0001-0000-000000000002"

  private static func mutation(_ more: String, id: String = id) -> String {
    #"{\#(empty),"mutations":[{"entity":"a","entity_id":"\#(id)",\#(more)}],"lives":[],"log":[]}"#
  }

  @Test func `a mutation is read`() throws {
    let delta = try read(
      Array(Self.mutation(#""payload":{"x":1},"stamps":{"x":"\#(Self.stamp)"}"#).utf8))
    #expect(delta.winners.map(\.register.value) == [1])
  }

  @Test(
    arguments: [
      ("{}", "dataset"), ("{\(empty)}", "mutations"),
      ("{\(empty),\"mutations\":[],\"lives\":[]}", "log"),
      (mutation(#""payload":{"x":1},"stamps":{}"#), "mutations[0]"),
      (mutation(#""payload":{},"stamps":{}"#), "mutations[0]"),
      (mutation(#""payload":{"x":1},"stamps":{"y":"\#(stamp)"}"#), "mutations[0].stamps"),
      (mutation(#""payload":{"x":1},"stamps":{"x":"now"}"#), "mutations[0].stamps"),
      (
        mutation(#""payload":{"x":1},"stamps":{"x":{"life":-1,"rank":0,"stamp":"\#(stamp)"}}"#),
        "mutations[0].stamps"
      ),
      (mutation(#""payload":{"x":1},"stamps":{"x":"\#(stamp)"}"#, id: "7"), "mutations[0]"),
      (
        mutation(
          #""payload":{},"stamps":{},"elements":[{"field":"x","kind":0,"element":"AA==","value":1,"stamp":"\#(stamp)"}]"#
        ), "mutations[0].elements"
      ),
      (
        mutation(
          #""payload":{},"stamps":{},"elements":[{"field":"x","kind":300,"element":"","value":1,"stamp":"\#(stamp)"}]"#
        ), "mutations[0].elements"
      ),
    ])
  func `what is missing or malformed is named`(_ text: String, _ part: String) throws {
    #expect(throws: DeltaJSONError.malformed(part)) { try read(Array(text.utf8)) }
  }

  @Test func `what no delta may say is refused`() throws {
    // The vector of the sender does not cover the stamp.
    let late = "0000000000020000-0000000000000001"
    let text = Self.mutation(#""payload":{"x":1},"stamps":{"x":"\#(late)"}"#)
    #expect(throws: DeltaJSONError.self) { try read(Array(text.utf8)) }
    let long = String(repeating: "n", count: 300)
    let named = Self.mutation(#""payload":{"\#(long)":1},"stamps":{"\#(long)":"\#(Self.stamp)"}"#)
    #expect(throws: DeltaJSONError.self) { try read(Array(named.utf8)) }
    let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    let nested = Self.mutation(#""payload":{"x":\#(deep)},"stamps":{"x":"\#(Self.stamp)"}"#)
    #expect(throws: DeltaJSONError.self) { try read(Array(nested.utf8)) }
  }
}
