import Rejoin
import TestSupport
import Testing

/// Every type that a property may have comes back as it was, in every store and over the wire.
struct TypedRecordTests {
  private struct Everything: Record, Equatable {
    static let collection: Collection = "everything"
    var id: RecordID
    var int: Int = .min
    var int8: Int8 = .min
    var int16: Int16 = .max
    var int32: Int32 = .min
    var int64: Int64 = .max
    var unsigned: UInt = UInt(Int.max)
    var unsigned8: UInt8 = .max
    var unsigned16: UInt16 = .max
    var unsigned32: UInt32 = .max
    var unsigned64: UInt64 = UInt64(Int64.max)
    var whole: Double = 3
    var float: Float = .leastNonzeroMagnitude
    var text = "e\u{301} \u{e9} \0 \u{1f600}"
    var emptyText = ""
    var yes = true
    var no = false
    var bytes: [UInt8] = [0, 255]
    var noBytes: [UInt8] = []
    var noTexts: [String] = []
    var texts = ["b", "a", ""]
    var optionalTexts: [String?] = ["a", nil]
    var map = ["one": 1, "two": 2]
    var noMap: [String: Int] = [:]
    var nested = Nested(name: "inner", tags: [["x"], []], next: [Nested(name: "innermost")])
    var mood = Mood.happy
    var moods: [Mood] = [.sad, .happy]
    var parent: RecordID = .numbered(9)
    var parents: [RecordID] = [.numbered(8)]
    var moment = UnixTime(milliseconds: -1)
    var optionalBytes: [UInt8]? = [1]
    var optionalMoment: UnixTime? = UnixTime(milliseconds: 5)
    var optionalParent: RecordID? = .numbered(7)
    var anything: Value = ["list": [1, 1.0, .null, .data([1])]]
    var nothing: Int?
    var noNested: Nested?
  }

  private struct Nested: Codable, Equatable {
    var name: String
    var tags: [[String]] = []
    var next: [Nested] = []
    var missing: Int?
  }

  private enum Mood: String, Codable { case happy, sad }

  private struct Number: Record, Equatable {
    static let collection: Collection = "numbers"
    var id: RecordID
    var double: Double
    var single: Float
  }

  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `every type of property comes back equal`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica("one")
      let other = try stores.replica("two")
      let record = Everything(id: id)
      try replica.insert(record)
      try other.merge(Delta(decoding: replica.delta().encoded()))
      #expect(try replica.get(Everything.self, id) == record)
      #expect(try other.get(Everything.self, id) == record)
      let before = replica.version
      try replica.upsert(record)
      try replica.update(Everything.self, id) { _ in }
      #expect(replica.version == before, "a record that comes back equal is not written again")
    }
  }

  @Test func `properties are stored as the values that they are`() throws {
    let replica = try withStores(.memory) { try $0.replica() }
    try replica.insert(Everything(id: id))
    let fields = try #require(try replica.fields(of: id, in: "everything"))
    #expect(fields["bytes"] == .data([0, 255]))
    #expect(fields["noBytes"] == .data([]))
    #expect(fields["noTexts"] == .array([]))
    #expect(fields["optionalTexts"] == ["a", .null])
    #expect(fields["whole"] == 3.0)
    #expect(fields["unsigned64"] == .int(.max))
    #expect(fields["parent"] == .record(.numbered(9)))
    #expect(fields["moment"] == .time(-1))
    #expect(fields["optionalParent"] == .record(.numbered(7)))
    #expect(fields["mood"] == "happy")
    #expect(fields["noMap"] == .map([:]))
    #expect(fields["map"] == ["one": 1, "two": 2])
    #expect(fields["nothing"] == nil)
    #expect(fields["noNested"] == nil)
    #expect(fields["id"] == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `floating-point numbers come back bit for bit, every NaN as one`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let numbers: [Double] = [
        0, -0.0, 1, -1, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, 0.1, 1e300, 9_007_199_254_740_992,
      ]
      for (index, number) in numbers.enumerated() {
        let id = RecordID.numbered(UInt64(index))
        try replica.insert(Number(id: id, double: number, single: Float(number)))
        let read = try #require(try replica.get(Number.self, id))
        #expect(read.double.bitPattern == (number.isNaN ? Double.nan : number).bitPattern)
        #expect(read.single.bitPattern == (number.isNaN ? Float.nan : Float(number)).bitPattern)
        let before = replica.version
        try replica.upsert(Number(id: id, double: number, single: Float(number)))
        #expect(replica.version == before)
      }
      try replica.update(Number.self, .numbered(0)) { $0.double = -0.0 }
      #expect(
        try replica.get(Number.self, .numbered(0))?.double.sign == .minus, "a change of sign is a change")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a whole number beyond 64 bits with sign is refused and leaves no trace`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      var record = Everything(id: id)
      record.unsigned64 = UInt64(Int64.max) + 1
      #expect(throws: EncodingError.self) { try replica.insert(record) }
      record = Everything(id: id)
      record.unsigned = .max
      #expect(throws: EncodingError.self) { try replica.insert(record) }
      #expect(replica.version.isEmpty)
      #expect(try replica.all(Everything.self).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a field that cannot be held leaves no trace of the whole record`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      var deep: Value = .null
      for _ in 0...Limits.valueDepth { deep = .array([deep]) }
      var record = Everything(id: id)
      record.anything = deep
      #expect(throws: CodingError.self) { try replica.insert(record) }
      #expect(replica.version.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `each field changes alone`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Everything(id: id))
      let changes: [(FieldName, @Sendable (inout Everything) -> Void)] = [
        ("bytes", { $0.bytes.append(1) }), ("texts", { $0.texts.removeAll() }),
        ("nested", { $0.nested.next[0].name = "x" }), ("map", { $0.map["one"] = nil }),
        ("mood", { $0.mood = .sad }), ("parent", { $0.parent = .numbered(1) }),
        ("moment", { $0.moment = UnixTime(milliseconds: 0) }), ("whole", { $0.whole = 4 }),
        ("anything", { $0.anything = 1 }), ("anything", { $0.anything = 1.0 }),
        ("text", { $0.text = "\u{e9}" }), ("text", { $0.text = "e\u{301}" }),
      ]
      for (field, change) in changes {
        let before = replica.version
        try replica.update(Everything.self, id, change)
        #expect(try replica.delta(since: before).winners.map(\.address.field) == [field])
      }
    }
  }
}
