import Rejoin
import RejoinCore

/// Records read from a JSON text: understood as a whole before anything is written.
///
/// The text holds an array of objects, or one object of objects; of the latter the names are the keys from which
/// ids come, unless a member is named for that.
struct ImportBatch {
  /// How many objects had an "id" that is no UUID and was not asked for as key.
  private(set) var replacedIDs = 0

  private let collection: Collection
  private let source: String
  private var records: [(id: RecordID, fields: [FieldName: Value])] = []
  private var ids = Set<RecordID>()
  private var fieldNames = Set<FieldName>()

  /// What writing a batch did.
  struct Counts {
    /// Records that were not visible before.
    var inserted = 0
    /// Records of which fields differed.
    var updated = 0
    /// Records that showed the same already.
    var unchanged = 0
  }

  /// Understands `json`, or throws and says which object is at fault, counted from 0.
  init(
    _ json: JSON, into collection: Collection, key: String?, source: String, newID: () -> RecordID
  ) throws(Failure) {
    self.collection = collection
    self.source = source
    switch json {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        try add(element, at: "\(index)", key: key, name: nil, newID: newID)
      }
    case .object(let members):
      for member in members {
        try add(member.value, at: Form.quoted(member.name), key: key, name: member.name, newID: newID)
      }
    case .null, .bool, .int, .double, .string:
      throw .refused(
        "\(source): an array or an object of objects is needed to import from; --at leads to one within the text."
      )
    }
  }

  private mutating func add(
    _ json: JSON, at place: String, key: String?, name: String?, newID: () -> RecordID
  ) throws(Failure) {
    guard case .object(let members) = json else {
      throw refused(at: place, "is no object; only objects become records")
    }
    let id = try id(of: json, at: place, key: key, name: name, newID: newID)
    guard ids.insert(id).inserted else {
      throw refused(at: place, "has the id \(id) of an object before it; ids stand once")
    }
    var fields: [FieldName: Value] = [:]
    for member in members where !isID(member.name) {
      let field = FieldName(member.name)
      guard field.isValid else {
        throw refused(
          at: place, "has a name of \(member.name.utf8.count) bytes; 1 to \(Limits.nameBytes) are allowed")
      }
      do {
        fields[field] = try Value(json: member.value).validated()
      } catch {
        throw refused(at: place, "has a value under \(Form.quoted(member.name)) that is refused: \(error)")
      }
      fieldNames.insert(field)
    }
    guard fields.count <= Limits.registersPerRecord else {
      throw refused(
        at: place, "has \(fields.count) members; at most \(Limits.registersPerRecord) are allowed")
    }
    records.append((id, fields))
  }

  private mutating func id(
    of json: JSON, at place: String, key: String?, name: String?, newID: () -> RecordID
  ) throws(Failure) -> RecordID {
    if let key {
      guard let text = json[key].flatMap(naturalKey) else {
        throw refused(at: place, "has no text or number under \(Form.quoted(key)), which --id names")
      }
      return id(from: text)
    }
    if let name { return id(from: name) }
    guard let member = json["id"] else { return newID() }
    if case .string(let text) = member, let id = RecordID(text) { return id }
    replacedIDs += 1
    return newID()
  }

  /// Text that names a thing: strings as they are, numbers as JSON writes them.
  private func naturalKey(_ json: JSON) -> String? {
    switch json {
    case .string(let text): text
    case .int, .double: json.text()
    case .null, .bool, .array, .object: nil
    }
  }

  private func id(from text: String) -> RecordID {
    RecordID(text) ?? .derived(from: text, in: collection.text)
  }

  private func isID(_ name: String) -> Bool { name.utf8.elementsEqual("id".utf8) }

  private func refused(at place: String, _ what: String) -> Failure {
    .refused("\(source): object \(place) \(what)\(what.hasSuffix(".") ? "" : ".") Nothing was imported.")
  }

  /// The fields of the batch that are not declared yet, in order.
  func newFields(beside declared: [FieldName]) -> [FieldName] { fieldNames.subtracting(declared).sorted() }

  /// Writes the batch: inserts what is not visible, and of the rest only the fields that differ.
  func write(in transaction: inout WriteTransaction) throws -> Counts {
    var counts = Counts()
    var progress = Progress("importing", total: records.count)
    for (id, fields) in records {
      if let shown = try transaction.fields(of: id, in: collection) {
        let changes = fields.filter { $0.value != shown[$0.key] }
        try transaction.set(changes, id: id, in: collection)
        if changes.isEmpty { counts.unchanged += 1 } else { counts.updated += 1 }
      } else {
        try transaction.insert(fields, id: id, in: collection)
        counts.inserted += 1
      }
      progress.advance()
    }
    progress.finish()
    return counts
  }
}
