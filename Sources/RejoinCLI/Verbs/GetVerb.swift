import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin get`.
  static let get = Verb(
    name: "get",
    syntax: Syntax("FILE", "COLLECTION", "ID"),
    abstract: "Shows the fields of a visible record, a line of field=JSON for each.",
    keys: [Key("collection", "the collection"), Key("id", "the record's id"), Key("fields", "name to value")]
  ) { arguments in
    let collection = try arguments.collection
    let id = try arguments.id
    let replica = try ReplicaFile.open(arguments)
    guard let fields = try replica.fields(of: id, in: collection) else {
      throw ReplicaError.recordNotVisible(RecordKey(collection, id))
    }
    let lines = fields.sorted { $0.key < $1.key }.map { "\(Form.name($0.key.text))=\($0.value.json.text())" }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("id", .string(id.description)),
        JSON.Member("fields", Form.fields(fields)),
      ])
  }
}
