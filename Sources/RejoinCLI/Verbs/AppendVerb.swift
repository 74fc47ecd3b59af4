import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin append`.
  static let append = Verb(
    name: "append",
    syntax: Syntax("FILE", "LOG", "JSON"),
    abstract: "Appends an entry, a JSON object, to a grow-only log and prints the entry's id.",
    keys: [Key("log", "the log"), Key("id", "the entry's id")]
  ) { arguments in
    let log = try arguments.log
    let values = try entry(arguments.text("JSON"))
    let id = try ReplicaFile.open(arguments).append(values, to: log)
    return Report(
      text: id.description,
      json: [JSON.Member("log", .string(log.text)), JSON.Member("id", .string(id.description))])
  }

  private static func entry(_ text: String) throws(Failure) -> ValueMap {
    try Arguments.requireUnrepaired(text, what: "The entry")
    let value: Value
    do {
      value = try Value(json: JSON(parsing: text))
    } catch {
      throw .usage("The entry is refused. \(error) Put it in the shell's quotes: '{\"a\": 1}'.")
    }
    guard case .map(let values) = value else {
      throw .usage("An entry is a JSON object of names and values, such as '{\"text\": \"signed in\"}'.")
    }
    return values
  }
}
