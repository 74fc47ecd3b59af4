import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin sync`.
  static let sync = Verb(
    name: "sync",
    syntax: Syntax("FILE", "PEER", options: ServerOptions.replicaConnection),
    abstract:
      "Exchanges what FILE and PEER know, in both directions: another replica file, with which digests are compared, "
      + "or the address of a server that is a replica itself.",
    keys: [
      Key("file", "what FILE received: \(Form.mergeKeys.map(\.name).joined(separator: ", "))")
    ] + fileKeys + DeltaSync.keys
  ) { arguments in
    if let url = ServerOptions.url(arguments.text("PEER")) { return try await DeltaSync.run(arguments, url) }
    let paths = (file: arguments.text("FILE"), peer: arguments.text("PEER"))
    guard !ReplicaFile.areSame(paths.file, paths.peer) else {
      throw Failure.usage("FILE and PEER are one file; name two replicas.")
    }
    let file = try ReplicaFile.open(paths.file, arguments: arguments)
    let peer = try ReplicaFile.open(paths.peer, arguments: arguments)
    guard file.id != peer.id else {
      throw Failure.refused(
        "\(paths.peer) is a copy of \(paths.file): both are replica \(file.id), so neither could tell its writes "
          + "from the other's. Make a replica with rejoin init and sync that instead.")
    }
    try ReplicaFile.requireOneDataset(file, in: paths.file, peer)
    try shareDeclarations(file, peer)
    let here = try merge(peer, into: file, at: paths.file)
    let there = try merge(file, into: peer, at: paths.peer)
    return try report(paths, file: (file, here), peer: (peer, there))
  }

  /// What is said of two files, and null with a server.
  static let fileKeys = [
    Key("peer", "what the file PEER received, with the same keys; with a server null, as the next four are"),
    Key("vectors_equal", "whether both cover the same now"),
    Key("digests_equal", "whether both states have one digest; exit code 1 if not, at equal vectors"),
    Key("digest", "the digest of FILE"), Key("peer_digest", "the digest of the file PEER"),
  ]

  /// Brings one replica what it lacks of the other's.
  private static func merge(_ source: Replica, into target: Replica, at path: String) throws -> MergeReport {
    try Progress.during("merging into \(path)") {
      try Failure.naming(path) { try target.merge(source.delta(since: target.version)) }
    }
  }

  /// Makes the fields that either side has as columns columns of both.
  private static func shareDeclarations(_ file: Replica, _ peer: Replica) throws {
    for (source, target) in [(file, peer), (peer, file)] {
      for collection in try source.collections() {
        let known = Set(try target.declaredFields(of: collection))
        let fields = try source.declaredFields(of: collection).filter { !known.contains($0) }
        if !fields.isEmpty { try target.declare(fields, in: collection) }
      }
    }
  }

  private static func report(
    _ paths: (file: String, peer: String), file: (replica: Replica, report: MergeReport),
    peer: (replica: Replica, report: MergeReport)
  ) throws -> Report {
    let vectorsEqual = file.replica.version == peer.replica.version
    let digests = try Progress.during("comparing digests") {
      (file: try file.replica.digest(), peer: try peer.replica.digest())
    }
    let digestsEqual = digests.file == digests.peer
    var lines = Form.lines(file.report, from: paths.peer, to: paths.file)
    lines += Form.lines(peer.report, from: paths.file, to: paths.peer)
    if digestsEqual {
      lines.append("digests equal: \(digests.file)")
    } else {
      lines.append("digests differ: \(digests.file) in \(paths.file), \(digests.peer) in \(paths.peer)")
    }
    let isDiverged = vectorsEqual && !digestsEqual
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("file", .object(Form.merge(file.report))),
        JSON.Member("peer", .object(Form.merge(peer.report))),
        JSON.Member("vectors_equal", .bool(vectorsEqual)),
        JSON.Member("digests_equal", .bool(digestsEqual)),
        JSON.Member("digest", .string(digests.file.description)),
        JSON.Member("peer_digest", .string(digests.peer.description)),
      ] + DeltaSync.keys.map { JSON.Member($0.name, .null) },
      exitCode: isDiverged ? .refused : .done,
      notes: isDiverged
        ? [
          "\(paths.file) and \(paths.peer) cover the same writes but hold different states: one of them is "
            + "damaged. Run rejoin doctor on both."
        ] : [])
  }
}
