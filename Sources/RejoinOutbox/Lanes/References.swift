import Rejoin
import RejoinCore

/// References between records, where the server knows the records under ids of its own: what is kept here names them as
/// the device does, and only the wire has the server's ids.
extension ServerTransaction {
  /// The server's ids of the records that an entry refers to, by field.
  func references(of entry: OutboxEntry) throws -> [String: String] {
    guard case .record(let key) = entry.subject else { return [:] }
    var references: [String: String] = [:]
    for reference in try self.references(in: key.collection) {
      guard case .string(let text)? = entry.payload.first(where: { $0.name == reference.field.text })?.value,
        let id = RecordID(text)
      else { continue }
      references[reference.field.text] = try serverID(of: .record(RecordKey(reference.collection, id)))
    }
    return references
  }

  /// A row whose references are the device's ids.
  func localized(_ row: ServerRow, _ configuration: OutboxConfiguration) throws -> ServerRow {
    guard configuration.rules.refersByServerIDs else { return row }
    let references = try references(in: Collection(row.entity))
    guard !references.isEmpty else { return row }
    var row = row
    for place in row.fields.indices {
      let name = row.fields[place].name
      guard let reference = references.first(where: { $0.field.text == name }),
        let text = row.fields[place].value.wireText
      else { continue }
      let parent = reference.collection.text
      let id = try record(named: text, in: parent) ?? RecordID(text) ?? .derived(from: text, in: parent)
      row.fields[place].value = .string(id.description)
    }
    return row
  }

  /// Lets what refers to a record refer to another one, which turned out to be the same row of the server.
  ///
  /// What was not sent yet is left: it comes back with the server's row.
  mutating func redirect(from twin: RecordKey, to key: RecordKey) throws {
    for child in try children(of: twin) {
      let lane = try lane(of: .record(child))
      var write = ServerWrite(key: child, isAlive: true, fields: [:], milliseconds: 0)
      let record = try record(child)
      for reference in try references(in: child.collection) where reference.collection == twin.collection {
        if var shadow = try lastShadow(of: .record(child)),
          shadow[reference.field] == .string(twin.id.description)
        {
          shadow.fields[reference.field] = .string(key.id.description)
          try keep(shadow, of: .record(child))
        }
        guard let register = record?.fields[reference.field], register.value == .record(twin.id),
          lane.map({ !$0.acknowledged.awaits(register.precedence.timestamp) }) ?? true
        else { continue }
        write.fields[reference.field] = .record(key.id)
      }
      if record?.isAlive == true, !write.fields.isEmpty { try self.write(write) }
    }
  }
}
