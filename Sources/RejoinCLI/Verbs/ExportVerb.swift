import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin export`.
  static let export = Verb(
    name: "export",
    syntax: Syntax(
      "FILE", "COLLECTION", "JSON|-",
      options: [Syntax.Option(name: "--without-id", meaning: "Leave the records' ids out.")]),
    abstract:
      "Writes the visible records of a collection as a JSON array in order of their ids; - prints it.",
    keys: [
      Key("collection", "the collection"), Key("count", "how many records were written"),
      Key("output", "the path that was written, absent for -"),
      Key("records", "for - only: what would have been written"),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let output = arguments.text("JSON|-")
    let replica = try ReplicaFile.open(arguments)
    let records = try replica.records(in: collection)
    let notes = try Form.notes(ofUnreadableIn: collection, of: replica)
    let array = JSON.array(records.map { form($0, withID: !arguments.has("--without-id")) })
    var json = [
      JSON.Member("collection", .string(collection.text)), JSON.Member("count", .int(Int64(records.count))),
    ]
    guard output != "-" else {
      json.append(JSON.Member("records", array))
      return Report(text: array.text(pretty: true), json: json, notes: notes)
    }
    try PlainFile.write(
      array.bytes(pretty: true) + [UInt8(ascii: "\n")], to: output, keeping: [arguments.text("FILE")])
    json.append(JSON.Member("output", .string(output)))
    return Report(
      text: "Wrote \(Form.count(records.count, "record")) to \(output).", json: json, notes: notes)
  }

  /// A record as one object: its fields and, unless it is left out, its id, all in order of the names' bytes.
  private static func form(_ record: UntypedRecord, withID: Bool) -> JSON {
    var fields = record.fields
    if withID { fields[FieldName("id")] = .string(record.id.description) }
    return Form.fields(fields)
  }
}
