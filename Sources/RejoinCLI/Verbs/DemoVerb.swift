import AccountTrackers
import Foundation
import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin demo`.
  static let demo = Verb(
    name: "demo",
    syntax: Syntax(
      options: [
        Syntax.Option(
          name: "--seed", value: "N",
          meaning: "Tell another story: a whole number, 1 without it. One seed, one output."),
        Syntax.Option(
          name: "--data", value: "FOLDER",
          meaning:
            "Where accounts.json and trackers.json lie; without it Examples/Data is looked for upwards "
            + "from here and from the tool."),
        Syntax.Option(
          name: "--keep", value: "FOLDER",
          meaning: "Leave the three replica files in this new folder; without it they are removed."),
      ]),
    abstract: "Lets three replicas in SQLite files write apart, meet over a lossy ring, and converge.",
    keys: [
      Key("seed", "the seed"), Key("converged", "whether all three hold the same; exit code 1 if not"),
      Key("digests", "the digest of each replica, by name"),
      Key("lines", "the text that is printed without --json"),
    ]
  ) { arguments in
    let seed = try arguments.option("--seed").map(seed) ?? 1
    let export = try DemoData.export(in: DemoData.folder(arguments.option("--data")))
    let (folder, isKept) = try DemoData.workFolder(keep: arguments.option("--keep"))
    defer { if !isKept { try? FileManager.default.removeItem(at: folder) } }
    let outcome = try Failure.naming(folder.path) { try Demo(seed: seed, folder: folder.path).run(export) }
    var lines = DemoReport(outcome: outcome, export: export).lines
    if isKept { lines += ["", "The replicas are in \(folder.path)."] }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("seed", .string(String(seed))), JSON.Member("converged", .bool(outcome.hasConverged)),
        JSON.Member(
          "digests",
          .object(
            zip(outcome.members, outcome.digests).map { JSON.Member($0.name, .string($1.description)) })),
        JSON.Member("lines", .array(lines.map { .string($0) })),
      ],
      exitCode: outcome.hasConverged ? .done : .refused)
  }

  private static func seed(_ text: String) throws -> UInt64 {
    guard let seed = UInt64(text) else {
      throw Failure.usage("--seed takes a whole number, not \"\(text)\".")
    }
    return seed
  }
}

/// Where the demo's accounts come from and its replicas go.
private enum DemoData {
  /// The folder with the exports.
  static func folder(_ given: String?) throws -> URL {
    if let given { return URL(fileURLWithPath: given) }
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    for start in [here, tool] {
      var folder = start.standardizedFileURL
      while folder.path != "/" {
        let data = folder.appendingPathComponent("Examples/Data")
        if FileManager.default.fileExists(atPath: data.appendingPathComponent("accounts.json").path) {
          return data
        }
        folder.deleteLastPathComponent()
      }
    }
    throw Failure.storage(
      "There is no Examples/Data here or above; run the demo in a checkout, or name the folder with --data.")
  }

  /// The accounts and trackers of a folder.
  static func export(in folder: URL) throws -> AccountExport {
    var export = AccountExport()
    for (name, add) in [
      ("accounts.json", { try $0.addAccounts(from: $1) }),
      ("trackers.json", { try $0.addTrackers(from: $1) }),
    ] as [(String, (inout AccountExport, JSON) throws -> Void)] {
      let path = folder.appendingPathComponent(name).path
      let bytes = try PlainFile.read(path)
      do {
        try add(&export, JSON(parsing: bytes))
      } catch let failure as AccountExport.Failure {
        throw Failure.refused("\(path): \(failure)")
      } catch {
        throw Failure(error, file: path)
      }
    }
    guard DemoStory.plain(export.accounts).count >= DemoStory.accountsNeeded,
      export.trackers.count >= DemoStory.trackersNeeded
    else {
      throw Failure.refused(
        "The demo needs \(DemoStory.accountsNeeded) accounts with plain addresses and "
          + "\(DemoStory.trackersNeeded) trackers; \(folder.path) holds fewer.")
    }
    return export
  }

  /// A new folder for the replicas.
  static func workFolder(keep: String?) throws -> (URL, isKept: Bool) {
    let folder =
      keep.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("rejoin-demo-\(UUID().uuidString)")
    guard !FileManager.default.fileExists(atPath: folder.path) else {
      throw Failure.refused("\(folder.path) exists already and was left as it is. Choose another folder.")
    }
    try Failure.naming(folder.path) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    return (folder, keep != nil)
  }
}
