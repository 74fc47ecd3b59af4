import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// A value that is 65 deep is refused on each way in and out, and leaves no trace.
struct TooDeepTests {
  private static let refusal = CodingError.overLimit("depth of a value", limit: Limits.valueDepth)
  private let tooDeep = AwkwardValue.nested(levels: Limits.valueDepth + 1)
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `no write takes it`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(["field": 1], id: id, in: "samples")
      let before = try replica.trace()
      #expect(throws: Self.refusal) {
        try replica.insert(["field": tooDeep], id: .numbered(2), in: "samples")
      }
      #expect(throws: Self.refusal) { try replica.set(["field": tooDeep], id: id, in: "samples") }
      #expect(throws: Self.refusal) {
        try replica.set(["field": .map(["": tooDeep])], id: id, in: "samples")
      }
      #expect(throws: Self.refusal) {
        try replica.append(["field": AwkwardValue.nested(levels: Limits.valueDepth)], to: "log")
      }
      #expect(try replica.trace() == before)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `no delta brings it`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let stamp = Timestamp(time: HybridTime(milliseconds: 1), replica: ReplicaID(rawValue: 1))
      let fragment = RecordPacker.fragment(
        life: nil, values: [(RegisterAddress("field"), tooDeep)], precedence: Precedence(timestamp: stamp))
      let delta = Delta(
        dataset: Stores.dataset, from: VersionVector(), through: VersionVector([(stamp.replica, stamp.time)]),
        records: [Delta.RecordPart(key: RecordKey("samples", id), fragment: fragment)], entries: [])
      let before = try replica.trace()
      #expect(throws: Self.refusal) { try replica.merge(Delta(decoding: delta.encoded())) }
      #expect(throws: Self.refusal) { try PackedRecord(validating: fragment.bytes) }
      #expect(try replica.trace() == before)
    }
  }

  @Test func `no text of JSON becomes it`() throws {
    let deepest = AwkwardValue.nested(levels: Limits.valueDepth)
    #expect(try Value(json: JSON(parsing: deepest.json.text())) == deepest)
    let error = #expect(throws: JSONError.self) { try Value(json: JSON(parsing: tooDeep.json.text())) }
    #expect(error?.problem == .overLimit("depth of a value", limit: Limits.valueDepth))
  }
}
