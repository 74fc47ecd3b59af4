import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin delete`.
  static let delete = Verb(
    name: "delete",
    syntax: Syntax("FILE", "COLLECTION", "ID"),
    abstract: "Deletes a visible record; the deletion wins over concurrent edits until somebody restores it.",
    keys: [Key("collection", "the collection"), Key("id", "the record's id")]
  ) { arguments in
    let collection = try arguments.collection
    let id = try arguments.id
    try ReplicaFile.open(arguments).delete(id, in: collection)
    return Report(
      text: "Deleted \(id).",
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("id", .string(id.description)),
      ])
  }
}
