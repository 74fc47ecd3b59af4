import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin doctor`.
  static let doctor = Verb(
    name: "doctor",
    syntax: Syntax("FILE"),
    abstract: "Reads everything in a replica anew, checks it against the rules and prints the digest.",
    keys: [
      Key("file", "the path, as given"), Key("digest", "the digest, computed anew"),
      Key("records", "how many records were read"), Key("entries", "how many log entries were read"),
      Key("findings", "sentences that say what is wrong; exit code 1 if there is any"),
    ]
  ) { arguments in
    let file = arguments.text("FILE")
    let replica = try ReplicaFile.open(arguments)
    let inspection = try Progress.during("reading \(file)") { try replica.inspect() }
    let findings = inspection.findings.map(\.description)
    var lines = [
      "Read \(Form.count(inspection.recordCount, "record")) and "
        + "\(Form.count(inspection.entryCount, "log entry", plural: "log entries")) of \(file).",
      "digest \(inspection.digest)",
    ]
    lines += findings.isEmpty ? ["Nothing is wrong."] : findings.map { "finding: \($0)" }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("file", .string(file)), JSON.Member("digest", .string(inspection.digest.description)),
        JSON.Member("records", .int(Int64(inspection.recordCount))),
        JSON.Member("entries", .int(Int64(inspection.entryCount))),
        JSON.Member("findings", .array(findings.map { .string($0) })),
      ],
      exitCode: findings.isEmpty ? .done : .refused,
      notes: findings.isEmpty
        ? []
        : [
          "\(file) breaks rules that hold in every sound replica. Keep a copy, make a new replica with "
            + "rejoin init and sync it with a sound peer."
        ])
  }
}
