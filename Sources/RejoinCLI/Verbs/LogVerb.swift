import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin log`.
  static let log = Verb(
    name: "log",
    syntax: Syntax("FILE", "LOG"),
    abstract: "Lists the entries of a log in the order of their timestamps, a line for each.",
    keys: [
      Key("log", "the log"),
      Key("entries", "a list of {id, stamp, milliseconds, values} in order of the stamps"),
    ]
  ) { arguments in
    let log = try arguments.log
    let entries = try ReplicaFile.open(arguments).log(log)
    let lines = entries.map { "\($0.entry.timestamp) \($0.id) \(Form.values($0.entry.values).text())" }
    let forms: [JSON] = entries.map { id, entry in
      [
        "id": .string(id.description), "stamp": .string(entry.timestamp.description),
        "milliseconds": .int(entry.timestamp.time.milliseconds), "values": Form.values(entry.values),
      ]
    }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [JSON.Member("log", .string(log.text)), JSON.Member("entries", .array(forms))])
  }
}
