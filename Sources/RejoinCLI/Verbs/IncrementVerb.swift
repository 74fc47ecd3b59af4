import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin increment`.
  static let increment = Verb(
    name: "increment",
    syntax: Syntax(
      "FILE", "COLLECTION", "ID", "FIELD",
      options: [
        Syntax.Option(
          name: "--by", value: "N", meaning: "Add this whole number instead of 1; below 0 it takes away.")
      ]),
    abstract: "Adds to a counter of a visible record; what is added elsewhere adds up with it.",
    keys: edited("the counter's sum afterwards")
  ) { arguments in
    let amount = try arguments.amount
    return try edit(arguments) { transaction, id, field, collection in
      try transaction.increment(field, by: amount, id: id, in: collection)
    }
  }

  /// The verb `rejoin reset`.
  static let reset = Verb(
    name: "reset",
    syntax: Syntax("FILE", "COLLECTION", "ID", "FIELD"),
    abstract:
      "Takes back what was added to a counter, as far as this file knows; what others add meanwhile stands.",
    keys: edited("the counter's sum afterwards, null where nobody has counted")
  ) { arguments in
    try edit(arguments) { transaction, id, field, collection in
      try transaction.reset(field, id: id, in: collection)
    }
  }

  /// The verb `rejoin add`.
  static let add = Verb(
    name: "add",
    syntax: Syntax("FILE", "COLLECTION", "ID", "FIELD", "JSON"),
    abstract:
      "Adds an element to a set of a visible record; it wins over removals elsewhere that did not know of it.",
    keys: edited("the set's elements afterwards")
  ) { arguments in
    let element = try arguments.element
    return try edit(arguments) { transaction, id, field, collection in
      try transaction.insert(element, into: field, id: id, in: collection)
    }
  }

  /// The verb `rejoin remove`.
  static let remove = Verb(
    name: "remove",
    syntax: Syntax("FILE", "COLLECTION", "ID", "FIELD", "JSON"),
    abstract: "Removes an element from a set of a visible record; one that is not there is no error.",
    keys: edited("the set's elements afterwards, null where it was never added to")
  ) { arguments in
    let element = try arguments.element
    return try edit(arguments) { transaction, id, field, collection in
      try transaction.remove(element, from: field, id: id, in: collection)
    }
  }

  private static func edited(_ value: String) -> [Key] {
    [
      Key("collection", "the collection"), Key("id", "the record's id"), Key("field", "the field"),
      Key("value", value),
    ]
  }

  private static func edit(
    _ arguments: Arguments,
    _ body: (inout WriteTransaction, RecordID, FieldName, Collection) throws -> Void
  ) throws -> Report {
    let collection = try arguments.collection
    let id = try arguments.id
    let field = try Arguments.field(arguments.text("FIELD"))
    let replica = try ReplicaFile.open(arguments)
    try replica.declare([field], in: collection)
    let value = try replica.write { transaction in
      try body(&transaction, id, field, collection)
      return try transaction.fields(of: id, in: collection)?[field] ?? .null
    }
    return Report(
      text: "\(Form.name(field.text)) of \(id) is \(value.json.text()).",
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("id", .string(id.description)),
        JSON.Member("field", .string(field.text)), JSON.Member("value", value.json),
      ])
  }
}

extension Arguments {
  /// How much is added to a counter.
  fileprivate var amount: Int64 {
    get throws(Failure) {
      guard let text = option("--by") else { return 1 }
      guard let number = Int64(text) else {
        throw .usage("--by takes a whole number of 64 bits, not \"\(text)\".")
      }
      return number
    }
  }

  /// The element of a set that the caller gave.
  fileprivate var element: Value {
    get throws(Failure) {
      let text = text("JSON")
      try Arguments.requireUnrepaired(text, what: "JSON")
      do {
        return try Value(json: JSON(parsing: Array(text.utf8)))
      } catch {
        throw .usage(
          "The element is refused. \(error) Put text in quotes, and those in the shell's: '\"text\"'.")
      }
    }
  }
}
