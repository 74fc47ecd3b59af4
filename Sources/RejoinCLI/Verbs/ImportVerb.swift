import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin import`.
  static let `import` = Verb(
    name: "import",
    syntax: Syntax(
      "FILE", "COLLECTION", "JSON",
      options: [
        Syntax.Option(
          name: "--at", value: "POINTER",
          meaning: "Take what stands at this JSON Pointer (RFC 6901) of the text, such as /accounts."),
        Syntax.Option(
          name: "--id", value: "KEY",
          meaning:
            "Take the ids from this member of each object: a UUID as it is, anything else as a natural "
            + "key, from which every device derives the same id."),
      ]),
    abstract:
      "Writes the objects of a JSON file as records, all in one transaction or none; JSON may be - for "
      + "standard input.",
    keys: [
      Key("collection", "the collection"), Key("inserted", "how many records were inserted"),
      Key("updated", "how many had fields that differed; only those were written"),
      Key("unchanged", "how many showed the same already"),
      Key("ids_replaced", "how many objects had an \"id\" that is no UUID, for which a new id was made"),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let pointer = try arguments.name("--at") ?? ""
    let source = arguments.text("JSON")
    let key = try arguments.name("--id")
    let replica = try ReplicaFile.open(arguments)
    let bytes = try PlainFile.read(source)
    let sourceName = PlainFile.name(of: source)
    guard !bytes.allSatisfy(blanks.contains) else {
      throw Failure.refused("\(sourceName) is empty: it holds no JSON.")
    }
    let batch = try Failure.naming(sourceName) {
      let json = try JSON(parsing: bytes).at(pointer: pointer)
      return try ImportBatch(json, into: collection, key: key, source: sourceName) { replica.newID() }
    }
    let newFields = batch.newFields(beside: try replica.declaredFields(of: collection))
    if !newFields.isEmpty { try replica.declare(newFields, in: collection) }
    let counts = try replica.write { try batch.write(in: &$0) }
    var notes: [String] = []
    if batch.replacedIDs > 0 {
      notes.append(
        "\(sourceName): \(Form.count(batch.replacedIDs, "object")) had an \"id\" that is no UUID; it was not kept. "
          + "Import with --id id to derive the records' ids from it.")
    }
    return Report(
      text: "\(counts.inserted) inserted, \(counts.updated) updated, \(counts.unchanged) unchanged.",
      json: [
        JSON.Member("collection", .string(collection.text)),
        JSON.Member("inserted", .int(Int64(counts.inserted))),
        JSON.Member("updated", .int(Int64(counts.updated))),
        JSON.Member("unchanged", .int(Int64(counts.unchanged))),
        JSON.Member("ids_replaced", .int(Int64(batch.replacedIDs))),
      ],
      notes: notes)
  }
  /// The bytes that may stand around JSON.
  private static let blanks = Set(" \t\r\n".utf8)
}
