import Rejoin
import RejoinCore

extension Arguments {
  /// What records are listed: all, or those whose field holds exactly a value.
  fileprivate var condition: Condition? {
    get throws(Failure) {
      guard let text = option("--where") else { return nil }
      let (field, value) = try Arguments.assignment(text)
      return .equals(field, value)
    }
  }

  /// In which order they are listed.
  fileprivate var sort: Sort? {
    get throws(Failure) {
      guard let name = option("--sort") else {
        guard !has("--descending") else { throw .usage("--descending needs --sort FIELD.") }
        return nil
      }
      return Sort(by: try Arguments.field(name), isDescending: has("--descending"))
    }
  }

  /// How many of them.
  fileprivate var limit: Int? {
    get throws(Failure) {
      guard let text = option("--limit") else { return nil }
      guard let limit = Int(text), limit >= 0 else {
        throw .usage("--limit takes a whole number of records from zero on, not \"\(text)\".")
      }
      return limit
    }
  }
}

extension Verb {
  /// The verb `rejoin list`.
  static let list = Verb(
    name: "list",
    syntax: Syntax(
      "FILE", "COLLECTION",
      options: [
        Syntax.Option(
          name: "--deleted",
          meaning: "List deleted records too, with what lies beneath the deletion, and orphans."),
        Syntax.Option(
          name: "--where", value: "FIELD=JSON",
          meaning: "List only records whose field holds exactly this value; null also stands for absent."),
        Syntax.Option(
          name: "--sort", value: "FIELD",
          meaning: "List in order of this field, and of the ids where that does not decide."),
        Syntax.Option(name: "--descending", meaning: "List the last of the order first."),
        Syntax.Option(name: "--limit", value: "N", meaning: "List no more than the first N."),
      ]),
    abstract:
      "Lists the visible records of a collection, a line for each, in order of their ids or of a field.",
    keys: [
      Key("collection", "the collection"),
      Key(
        "records", "a list of {id, fields, deleted} in that order; orphan: true where a parent hides it"
      ),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let (condition, sort, limit) = (try arguments.condition, try arguments.sort, try arguments.limit)
    let replica = try ReplicaFile.open(arguments)
    let records = try replica.records(
      in: collection, includingDeleted: arguments.has("--deleted"), where: condition, sort: sort, limit: limit
    )
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
