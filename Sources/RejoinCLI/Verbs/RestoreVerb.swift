import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin restore`.
  static let restore = Verb(
    name: "restore",
    syntax: Syntax("FILE", "COLLECTION", "ID"),
    abstract: "Brings a deleted record back as it was, with the edits that met the deletion.",
    keys: [
      Key("collection", "the collection"), Key("id", "the record's id"), Key("fields", "what it shows now"),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let id = try arguments.id
    let replica = try ReplicaFile.open(arguments)
    try replica.restore(id, in: collection)
    let fields = try replica.fields(of: id, in: collection) ?? [:]
    return Report(
      text: "Restored \(id).",
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("id", .string(id.description)),
        JSON.Member("fields", Form.fields(fields)),
      ])
  }
}
