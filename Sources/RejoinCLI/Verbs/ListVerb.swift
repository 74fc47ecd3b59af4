import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin list`.
  static let list = Verb(
    name: "list",
    syntax: Syntax(
      "FILE", "COLLECTION",
      options: [
        Syntax.Option(
          name: "--deleted", meaning: "List deleted records too, with what lies beneath the deletion.")
      ]),
    abstract: "Lists the visible records of a collection, a line for each, in order of their ids.",
    keys: [
      Key("collection", "the collection"),
      Key("records", "a list of {id, fields, deleted} in order of the ids"),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let replica = try ReplicaFile.open(arguments)
    let records = try replica.records(in: collection, includingDeleted: arguments.has("--deleted"))
    let lines = records.map { record in
      "\(record.id) \(record.isDeleted ? "deleted " : "")\(Form.fields(record.fields).text())"
    }
    let forms: [JSON] = records.map { record in
      [
        "id": .string(record.id.description), "fields": Form.fields(record.fields),
        "deleted": .bool(record.isDeleted),
      ]
    }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("records", .array(forms)),
      ])
  }
}
