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
          name: "--deleted",
          meaning: "List deleted records too, with what lies beneath the deletion, and orphans.")
      ]),
    abstract: "Lists the visible records of a collection, a line for each, in order of their ids.",
    keys: [
      Key("collection", "the collection"),
      Key(
        "records", "a list of {id, fields, deleted} in order of the ids; orphan: true where a parent hides it"
      ),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let replica = try ReplicaFile.open(arguments)
    let records = try replica.records(in: collection, includingDeleted: arguments.has("--deleted"))
    let lines = records.map { record in
      let mark = record.isDeleted ? "deleted " : record.presence == .visible ? "" : "orphan "
      return "\(record.id) \(mark)\(Form.fields(record.fields).text())"
    }
    let forms: [JSON] = records.map { record in
      var members = [
        JSON.Member("id", .string(record.id.description)), JSON.Member("fields", Form.fields(record.fields)),
        JSON.Member("deleted", .bool(record.isDeleted)),
      ]
      if case .orphaned = record.presence { members.append(JSON.Member("orphan", .bool(true))) }
      return .object(members)
    }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("records", .array(forms)),
      ], notes: try Form.notes(ofUnreadableIn: collection, of: replica))
  }
}
