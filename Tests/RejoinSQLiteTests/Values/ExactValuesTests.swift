import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A value arrives as it was written, whatever path it takes.
struct ExactValuesTests {
  /// Values that have a field of their own: a newer kind is shown to nobody.
  private static let shown = AwkwardValue.all.filter { if case .unknown = $0.written { false } else { true } }

  /// Values that fit into a log entry, whose map is one level of its own.
  private static let logged = AwkwardValue.all.filter { !$0.name.text.hasSuffix("64 deep") }

  private let samples: Collection = "samples"

  /// All values as fields of one record.
  private let together = RecordID.derived(from: "together", in: "samples")

  /// One record for each value, all in one field: a column has to hold each kind.
  private func alone(_ value: AwkwardValue) -> RecordID { .derived(from: value.name.text, in: "samples") }

  private func fill(_ replica: Replica) throws {
    try replica.write { transaction in
      let fields = AwkwardValue.all.map { ($0.name, $0.written) }
      try transaction.insert(
        Dictionary(uniqueKeysWithValues: fields), id: together, in: samples)
      for value in AwkwardValue.all {
        try transaction.insert(["value": value.written, "other": 1], id: alone(value), in: samples)
      }
      for value in Self.logged {
        try transaction.append(["value": value.written], to: "log", id: entry(value))
      }
    }
  }

  private func entry(_ value: AwkwardValue) -> EntryID { .derived(from: value.name.text, in: "log") }

  /// Looks at every value where `fill` put it.
  private func expectExact(in replica: Replica, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fields = try #require(try replica.fields(of: together, in: samples), sourceLocation: sourceLocation)
    #expect(fields.count == Self.shown.count, sourceLocation: sourceLocation)
    let log = try replica.log("log")
    #expect(log.count == Self.logged.count, sourceLocation: sourceLocation)
    for value in Self.logged {
      let logged = log.first { $0.id == entry(value) }?.entry.values["value"]
      #expect(value.isExactly(logged), "\(value) in a log", sourceLocation: sourceLocation)
    }
    for value in Self.shown {
      #expect(value.isExactly(fields[value.name]), "\(value)", sourceLocation: sourceLocation)
      let own = try replica.fields(of: alone(value), in: samples)
      #expect(value.isExactly(own?["value"]), "\(value) in a column", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `stored, and there after reopening`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try fill(replica)
      try expectExact(in: replica)
      guard kind == .sqlite else { return }
      try expectExact(in: stores.replica())
    }
  }

  @Test(arguments: StoreKind.allCases, StoreKind.allCases)
  func `sent and merged, from each store to each`(from: StoreKind, to: StoreKind) throws {
    try withStores(from) { stores in
      let sender = try stores.replica("sender")
      try fill(sender)
      let bytes = try sender.delta().encoded()
      try withStores(to) { others in
        // The first of both folders would draw the same id.
        _ = others.configuration()
        let receiver = try others.replica("receiver")
        try receiver.merge(Delta(decoding: bytes))
        try expectExact(in: receiver)
        let back = try receiver.delta()
        #expect(back.encoded() == bytes)
        #expect(try receiver.digest() == sender.digest())
        guard to == .sqlite else { return }
        try expectExact(in: others.replica("receiver"))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `exported and imported in the JSON forms, indented too`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica("exported")
      try fill(replica)
      let fields = try #require(try replica.fields(of: together, in: samples))
      let other = try stores.replica("imported")
      for pretty in [false, true] {
        var imported: [FieldName: Value] = [:]
        for (name, value) in fields {
          imported[name] = try Value(json: JSON(parsing: value.json.text(pretty: pretty)))
        }
        try other.insert(imported, id: pretty ? together : alone(Self.shown[0]), in: samples)
      }
      for id in [together, alone(Self.shown[0])] {
        let read = try #require(try other.fields(of: id, in: samples))
        #expect(read.count == Self.shown.count)
        for value in Self.shown { #expect(value.isExactly(read[value.name]), "\(value)") }
      }
    }
  }

  /// Each is written over each other one: what only looks alike, such as 1 and 1.0, is a change.
  @Test(arguments: StoreKind.allCases)
  func `written over a value that looks alike`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let values = Self.shown.filter { $0.name != "1 MB of text" }
      try replica.insert(["value": "first"], id: together, in: samples)
      for (before, after) in zip(values, values.dropFirst()) {
        try replica.set(["value": before.written], id: together, in: samples)
        try replica.set(["value": after.written], id: together, in: samples)
        #expect(after.isExactly(try replica.fields(of: together, in: samples)?["value"]), "\(after)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `null is a value, absent is none`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica("one")
      let other = try stores.replica("two")
      try replica.insert(["null": nil, "set": 1], id: together, in: samples)
      try replica.insert(["set": 1], id: .numbered(2), in: samples)
      try other.merge(Delta(decoding: replica.delta().encoded()))
      for replica in [replica, other] {
        #expect(try replica.fields(of: together, in: samples) == ["null": nil, "set": 1])
        #expect(try replica.fields(of: .numbered(2), in: samples) == ["set": 1])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `é in its two forms is two names, two ids and two collections`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica("one")
      let forms = ["é", "e\u{301}"]
      let ids = forms.map { RecordID.derived(from: $0, in: "samples") }
      #expect(Set(ids + forms.map { RecordID.derived(from: "a", in: $0) }).count == 4)
      for (form, id) in zip(forms, ids) {
        try replica.insert([FieldName(form): .string(form)], id: id, in: Collection(form))
        try replica.insert(["é": "é", "e\u{301}": "e\u{301}"], id: id, in: samples)
        try replica.append([form: .string(form)], to: LogName(form))
      }
      let other = try stores.replica("two")
      try other.merge(Delta(decoding: replica.delta().encoded()))
      let reopened = kind == .sqlite ? [try stores.replica("one"), try stores.replica("two")] : []
      for replica in [replica, other] + reopened {
        for (form, id) in zip(forms, ids) {
          let collection = Collection(form)
          #expect(try replica.records(in: collection).map(\.id) == [id])
          let fields = try #require(try replica.fields(of: id, in: collection))
          #expect(fields.map { Array($0.key.text.utf8) } == [Array(form.utf8)])
          #expect(fields[FieldName(form)] == .string(form))
          let both = try #require(try replica.fields(of: id, in: samples))
          #expect(both == ["é": "é", "e\u{301}": "e\u{301}"])
          #expect(try replica.log(LogName(form)).map(\.entry.values) == [[form: .string(form)]])
        }
      }
    }
  }
}
