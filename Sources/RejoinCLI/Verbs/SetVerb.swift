import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin set`.
  static let set = Verb(
    name: "set",
    syntax: Syntax("FILE", "COLLECTION", "ID", repeated: "field=JSON"),
    abstract:
      "Writes fields of a record, which is inserted when it is not visible; ID \"new\" makes an id and "
      + "prints it, field=null clears a field.",
    keys: [
      Key("collection", "the collection"), Key("id", "the record's id"),
      Key("outcome", "\"inserted\" or \"updated\""), Key("fields", "what was written"),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let isNew = arguments.text("ID") == "new"
    let given = isNew ? nil : try arguments.id
    let fields = try arguments.assignments()
    let replica = try ReplicaFile.open(arguments)
    let id = given ?? replica.newID()
    try replica.declare(fields.keys.sorted(), in: collection)
    let isInserted = try replica.write { transaction in
      guard try transaction.fields(of: id, in: collection) == nil else {
        try transaction.set(fields, id: id, in: collection)
        return false
      }
      try transaction.insert(fields, id: id, in: collection)
      return true
    }
    return Report(
      text: isNew ? id.description : "\(isInserted ? "Inserted" : "Updated") \(id).",
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("id", .string(id.description)),
        JSON.Member("outcome", .string(isInserted ? "inserted" : "updated")),
        JSON.Member("fields", Form.fields(fields)),
      ])
  }
}
