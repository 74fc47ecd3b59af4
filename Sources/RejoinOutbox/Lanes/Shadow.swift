import RejoinCore

/// What a server was last known to hold of a record.
struct Shadow: Hashable, Sendable {
  /// Its version of the row; 0 where it never said one.
  var version: Int64 = 0
  /// When it last changed the row, in milliseconds since the Unix epoch.
  var updatedAt: Int64?
  /// Whether the row is deleted there.
  var isDeleted = false
  /// Whether the server answered that it has no such row.
  var isAbsent = false
  /// Whether its values are nowhere here, because the record was deleted here when they came.
  var isUnadopted = false
  /// The fields in the wire's form, by name.
  var fields: ShadowFields = [:]
  /// The fields that the server had when the record was deleted here, while what came since is nowhere here.
  var former: ShadowFields = [:]
  /// Which beginning of the server's history it belongs to; what is of an earlier one says nothing any more.
  var epoch: Int64 = 0

  /// The value of a field.
  subscript(field: FieldName) -> JSON? { fields[field] }

  /// Nothing is known.
  init(epoch: Int64) {
    self.epoch = epoch
  }

  // MARK: The form in which it is kept

  /// Version, epoch, time and marks, each with a space behind it, then the fields as JSON: such as `3 0 1700 d {"a":1}`.
  ///
  /// There is one for each row of the server, so it says no more than it has to.
  var text: String {
    var bytes: [UInt8] = []
    for part in [String(version), String(epoch), updatedAt.map { String($0) } ?? "-", marks] {
      bytes += part.utf8
      bytes.append(UInt8(ascii: " "))
    }
    bytes += (isUnadopted ? JSON.array([fields.json, former.json]) : fields.json).bytes()
    return String(decoding: bytes, as: UTF8.self)
  }

  private var marks: String {
    guard isDeleted || isAbsent || isUnadopted else { return "-" }
    return (isDeleted ? "d" : "") + (isAbsent ? "a" : "") + (isUnadopted ? "u" : "")
  }

  /// Reads what was kept.
  init(text: String) throws(OutboxError) {
    let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, let version = Shadow.number(parts[0]), let epoch = Shadow.number(parts[1]),
      let json = try? JSON(parsing: Array(parts[4]))
    else { throw .damagedState("shadow") }
    self.version = version
    self.epoch = epoch
    if !parts[2].elementsEqual("-".utf8) {
      guard let time = Shadow.number(parts[2]) else { throw .damagedState("shadow") }
      updatedAt = time
    }
    if !parts[3].elementsEqual("-".utf8) {
      for mark in parts[3] {
        switch mark {
        case UInt8(ascii: "d"): isDeleted = true
        case UInt8(ascii: "a"): isAbsent = true
        case UInt8(ascii: "u"): isUnadopted = true
        default: throw .damagedState("shadow")
        }
      }
    }
    switch json {
    case .array(let both) where isUnadopted && both.count == 2:
      fields = try Shadow.fields(both[0])
      former = try Shadow.fields(both[1])
    case _ where !isUnadopted: fields = try Shadow.fields(json)
    default: throw .damagedState("shadow")
    }
  }

  private static func fields(_ json: JSON) throws(OutboxError) -> ShadowFields {
    guard case .object(let members) = json else { throw .damagedState("shadow") }
    var fields: ShadowFields = [:]
    fields.merge(members)
    return fields
  }

  private static func number(_ digits: Substring.UTF8View) -> Int64? { Int64(Substring(digits)) }
}

/// The fields of a row, in the order of their names' bytes.
///
/// Rows are read and written far more often than single fields are looked for, so this is a list and no hash table.
struct ShadowFields: Hashable, Sendable, Sequence, ExpressibleByDictionaryLiteral {
  private var members: [JSON.Member] = []

  init(dictionaryLiteral elements: (FieldName, JSON)...) {
    for (field, value) in elements { self[field] = value }
  }

  /// The value of a field.
  subscript(field: FieldName) -> JSON? {
    get {
      let place = place(of: field)
      return stands(field, at: place) ? members[place].value : nil
    }
    set {
      let place = place(of: field)
      switch (stands(field, at: place), newValue) {
      case (true, let value?): members[place].value = value
      case (true, nil): members.remove(at: place)
      case (false, let value?): members.insert(JSON.Member(field.text, value), at: place)
      case (false, nil): break
      }
    }
  }

  /// Takes over fields, each in place of the one of its name; of several of one name the last counts.
  ///
  /// - Complexity: O(n log n) in the new ones and O(n) in all, O(n) where the new ones are in order.
  mutating func merge(_ news: [JSON.Member]) {
    if members.isEmpty, ShadowFields.isInOrder(news) { return members = news }
    let old = members
    members = []
    members.reserveCapacity(old.count + news.count)
    var rest = old[...]
    // The sort is stable, so that of one name the last stays last.
    let sorted =
      ShadowFields.isInOrder(news) ? news : news.sorted { FieldName($0.name) < FieldName($1.name) }
    for new in sorted {
      while let first = rest.first, FieldName(first.name) < FieldName(new.name) {
        members.append(first)
        rest.removeFirst()
      }
      if let first = rest.first, first.name.hasSameBytes(as: new.name) { rest.removeFirst() }
      if let last = members.last, last.name.hasSameBytes(as: new.name) { members.removeLast() }
      members.append(new)
    }
    members += rest
  }

  private static func isInOrder(_ members: [JSON.Member]) -> Bool {
    var places = members.indices.dropFirst()
    while let place = places.popFirst() {
      guard FieldName(members[place - 1].name) < FieldName(members[place].name) else { return false }
    }
    return true
  }

  private func stands(_ field: FieldName, at place: Int) -> Bool {
    place < members.count && members[place].name.hasSameBytes(as: field.text)
  }

  private func place(of field: FieldName) -> Int {
    if let last = members.last, FieldName(last.name) < field { return members.count }
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if FieldName(members[middle].name) < field { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many there are.
  var count: Int { members.count }

  /// The fields as an object.
  var json: JSON { .object(members) }

  func makeIterator() -> some IteratorProtocol<(key: FieldName, value: JSON)> {
    members.lazy.map { (key: FieldName($0.name), value: $0.value) }.makeIterator()
  }
}
