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
  var fields: [FieldName: JSON] = [:]
  /// Which beginning of the server's history it belongs to; what is of an earlier one says nothing any more.
  var epoch: Int64 = 0

  /// The value of a field.
  subscript(field: FieldName) -> JSON? { fields[field] }

  /// The form in which it is kept.
  var json: JSON {
    var members: [JSON.Member] = [JSON.Member("version", .int(version)), JSON.Member("epoch", .int(epoch))]
    if let updatedAt { members.append(JSON.Member("updatedAt", .int(updatedAt))) }
    if isDeleted { members.append(JSON.Member("deleted", true)) }
    if isAbsent { members.append(JSON.Member("absent", true)) }
    if isUnadopted { members.append(JSON.Member("unadopted", true)) }
    let fields = fields.sorted { $0.key < $1.key }.map { JSON.Member($0.key.text, $0.value) }
    members.append(JSON.Member("fields", .object(fields)))
    return .object(members)
  }

  /// Nothing is known.
  init(epoch: Int64) {
    self.epoch = epoch
  }

  /// Reads what was kept.
  init(json: JSON) throws(OutboxError) {
    guard case .int(let version)? = json["version"], case .int(let epoch)? = json["epoch"],
      case .object(let members)? = json["fields"]
    else { throw .damagedState("shadow") }
    self.version = version
    self.epoch = epoch
    if case .int(let time)? = json["updatedAt"] { updatedAt = time }
    isDeleted = json["deleted"] != nil
    isAbsent = json["absent"] != nil
    isUnadopted = json["unadopted"] != nil
    for member in members { fields[FieldName(member.name)] = member.value }
  }
}
