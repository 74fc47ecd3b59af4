import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin delta`.
  static let delta = Verb(
    name: "delta",
    syntax: Syntax(
      "FILE",
      options: [
        Syntax.Option(
          name: "--since", value: "FILE|VECTOR", isRequired: true,
          meaning: "What the receiver covers: its file, a vector as replica:time,... or the word empty."),
        Syntax.Option(
          name: "-o", alias: "--output", value: "OUT", isRequired: true,
          meaning: "The file to write; one that exists is replaced."),
      ]),
    abstract: "Writes what a replica knows and a receiver lacks to a file, for rejoin merge.",
    keys: [
      Key("output", "the path that was written"), Key("bytes", "its size"),
      Key("records", "how many records it touches"), Key("registers", "how many registers it carries"),
      Key("entries", "how many log entries it carries"),
      Key("from", "the vector that the receiver must cover"),
      Key("through", "the vector that it covers afterwards"),
    ]
  ) { arguments in
    let (file, since, output) = (
      arguments.text("FILE"), arguments.option("--since") ?? "", arguments.option("-o") ?? ""
    )
    let replica = try ReplicaFile.open(arguments)
    let delta = try replica.delta(since: version(since, for: replica, arguments: arguments))
    let bytes = delta.encoded()
    try PlainFile.write(bytes, to: output, keeping: [file, since])
    return Report(
      text: "Wrote \(Form.count(delta.registerCount, "register")) of "
        + "\(Form.count(delta.recordCount, "record")) and "
        + "\(Form.count(delta.entryCount, "log entry", plural: "log entries")) to \(output) "
        + "(\(Form.count(bytes.count, "byte"))).",
      json: [
        JSON.Member("output", .string(output)),
        JSON.Member("bytes", .int(Int64(bytes.count))),
        JSON.Member("records", .int(Int64(delta.recordCount))),
        JSON.Member("registers", .int(Int64(delta.registerCount))),
        JSON.Member("entries", .int(Int64(delta.entryCount))),
        JSON.Member("from", Form.vector(delta.from)),
        JSON.Member("through", Form.vector(delta.through)),
      ])
  }

  /// The vector that `--since` gives, or that the replica in its file has.
  private static func version(
    _ since: String, for replica: Replica, arguments: Arguments
  ) throws -> VersionVector {
    if let vector = Form.vector(parsing: since) {
      guard vector.entries.allSatisfy({ $0.time.milliseconds <= Limits.wallMilliseconds }) else {
        throw Failure.usage(
          "--since has a time beyond \(HybridTime(milliseconds: Limits.wallMilliseconds, counter: .max)), "
            + "the latest that a clock issues.")
      }
      return vector
    }
    try ReplicaFile.requireFile(
      since,
      hint: "It is no vector either: those are replica:time,... in hexadecimal digits, or the word empty.")
    let receiver = try ReplicaFile.open(since, arguments: arguments)
    try ReplicaFile.requireOneDataset(receiver, in: since, replica)
    return receiver.version
  }
}
