import Rejoin
import TestSupport
import Testing

/// Records and their types change apart from each other: renamed keys, defaults, unknown fields, other types.
struct RecordShapeTests {
  private let id = RecordID.numbered(1)

  private struct Renamed: Record, Equatable {
    static let collection: Collection = "accounts"
    static let idKey: FieldName = "key"
    var id: RecordID
    var address: String
    var identity: String?

    enum CodingKeys: String, CodingKey {
      case id = "key"
      case address = "email"
      case identity = "identifier"
    }
  }

  /// A later version of the type, with a field that older records lack.
  private struct Defaulted: Record, Equatable {
    static let collection: Collection = "accounts"
    var id: RecordID
    var email: String
    var theme: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(RecordID.self, forKey: .id)
      email = try container.decode(String.self, forKey: .email)
      theme = try container.decodeIfPresent(String.self, forKey: .theme) ?? "light"
    }
  }

  private struct Count: Record, Equatable {
    static let collection: Collection = "accounts"
    var id: RecordID
    var email: Int
  }

  private struct Anything: Record, Equatable {
    static let collection: Collection = "anything"
    var id: RecordID
    var value: Value
    var values: [String: Value] = [:]
    var counts: [String: Int?] = [:]
  }

  private struct NoFields: Record, Equatable {
    static let collection: Collection = "bare"
    var id: RecordID
  }

  private struct NotAStruct: Record {
    static let collection: Collection = "wrong"
    var id: RecordID

    init(id: RecordID) { self.id = id }
    init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(RecordID.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(id)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `fields are named by their coding keys, the id too`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let record = Renamed(id: id, address: "ada@example.com", identity: "a")
      try replica.insert(record)
      #expect(try replica.shown(id) == ["email": "ada@example.com", "identifier": "a"])
      #expect(try replica.get(Renamed.self, id) == record)
      #expect(try replica.get(Account.self, id) == Account(id: id, email: "ada@example.com"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a default of the type is read but never written`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      #expect(try replica.get(Defaulted.self, id)?.theme == "light")
      try replica.update(Defaulted.self, id) { $0.email = "ada@example.org" }
      #expect(try replica.shown(id) == ["email": "ada@example.org"])
      try replica.update(Defaulted.self, id) { $0.theme = "dark" }
      #expect(try replica.shown(id) == ["email": "ada@example.org", "theme": "dark"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `fields that a type does not know are kept`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(["email": "a", "theme": "dark", "size": 3], id: id, in: "accounts")
      try replica.update(Account.self, id) { $0.email = "b" }
      try replica.upsert(Account(id: id, email: "c", nickname: "Work"))
      #expect(
        try replica.shown(id) == ["email": "c", "nickname": "Work", "theme": "dark", "size": 3])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that does not decode is listed and hides no other`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      try replica.insert(["nickname": "lost"], id: .numbered(2), in: "accounts")
      try replica.insert(["email": 5], id: .numbered(3), in: "accounts")
      try replica.insert(Account(id: .numbered(4), email: "secret@example.com"))
      try replica.set(["email": .null], id: .numbered(4), in: "accounts")
      let accounts = try replica.all(Account.self)
      #expect(accounts.map(\.id) == [id])
      #expect(accounts.undecodable.map(\.id) == [.numbered(2), .numbered(3), .numbered(4)])
      #expect(
        accounts.undecodable.allSatisfy { $0.reason.contains("email") && !$0.reason.contains("secret") })
      #expect(throws: ReplicaError.self) { try replica.get(Account.self, .numbered(3)) }
      #expect(try replica.all(Count.self).map(\.email) == [5])
      #expect(throws: ReplicaError.self) {
        try replica.update(Account.self, .numbered(3)) { $0.email = "mended" }
      }
      try replica.set(["email": "mended"], id: .numbered(3), in: "accounts")
      #expect(try replica.get(Account.self, .numbered(3))?.email == "mended")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record of an id alone can be inserted, listed and deleted`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(NoFields(id: id))
      #expect(try Array(replica.all(NoFields.self)) == [NoFields(id: id)])
      try replica.upsert(NoFields(id: id))
      try replica.delete(NoFields.self, id)
      #expect(try replica.all(NoFields.self).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing within a value of any kind is lost`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let records = [
        Anything(id: .numbered(1), value: .null), Anything(id: .numbered(2), value: [.null]),
        Anything(id: .numbered(3), value: ["a": .null], values: ["b": .null, "c": 1]),
        Anything(id: .numbered(4), value: 1, counts: ["none": nil, "one": 1]),
      ]
      for record in records {
        try replica.insert(record)
        #expect(try replica.get(Anything.self, record.id) == record)
      }
      let fields = try replica.fields(of: .numbered(1), in: "anything")
      #expect(fields == ["value": .null, "values": .map([:]), "counts": .map([:])])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a type that encodes no fields is refused`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      #expect(throws: ReplicaError.notARecord(type: "NotAStruct")) { try replica.insert(NotAStruct(id: id)) }
      #expect(replica.version.isEmpty)
    }
  }
}
