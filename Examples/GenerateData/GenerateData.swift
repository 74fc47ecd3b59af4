import RejoinCore

// Makes the example data: the accounts and trackers that a server with a plain REST interface would answer.
//
//     swift run GenerateData [--seed NUMBER] [--output FOLDER]
//
// Run it from the root of the repository. It writes two files into Examples/Data, or into FOLDER:
//
//     accounts.json   {"accounts": [...]}   300 of {id, email, nickname, createdAt, updatedAt}
//     trackers.json   {"trackers": [...]}   3,000 of {id, accountId, providerSlug, cooldownDays, lastLimitHitAt}
//
// One record per line, fields in this order, UTF-8 without escapes where JSON does not ask for them. The same
// seed makes the same bytes on every machine; the committed files are those of the default seed.
//
// The data is awkward on purpose. Somewhere in it stand
//
// - one name in both normal forms (composed and decomposed), names that read from right to left, in Han
//   characters, in emoji joined by zero-width joiners, and with characters outside the basic plane;
// - empty texts, texts of several thousand characters, and texts with quotes, backslashes, line breaks, U+0000;
// - pairs of accounts with one e-mail address, and pairs whose addresses differ in case or normal form only;
// - nicknames that are null, empty, or a blank, which are three different things;
// - times from year 1 to year 9999, on leap days, and before the Unix epoch; accounts updated before they were
//   created; trackers whose limit was never hit (null);
// - cooldowns of 0, 1 and 30 days, and of so many that adding them to a time overflows 64 bits;
// - accounts without a tracker. Every tracker belongs to an account, with one tracker per provider.
//
// Times are written as JavaScript's `toISOString` does: 2024-02-29T12:34:56.789Z.

import Foundation

/// The command.
@main enum GenerateData {
  /// The seed of the committed files.
  static let defaultSeed: UInt64 = 20_240_229

  static func main() throws {
    var seed = defaultSeed
    var folder = "Examples/Data"
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      let argument = arguments.popFirst()
      switch (option, argument, argument.flatMap { UInt64($0) }) {
      case ("--seed", _, let number?): seed = number
      case ("--output", let path?, _): folder = path
      default: refuse("usage: GenerateData [--seed NUMBER] [--output FOLDER]")
      }
    }
    guard FileManager.default.fileExists(atPath: folder) else {
      refuse("no folder \(folder): run this from the root of the repository, or name one with --output")
    }

    var generator = SplitMix64(seed: seed)
    let accounts = Account.examples(count: 300, using: &generator)
    let trackers = Tracker.examples(count: 3_000, of: accounts, using: &generator)
    try write(accounts.map(\.json), as: "accounts", into: folder)
    try write(trackers.map(\.json), as: "trackers", into: folder)
  }

  /// Writes `{"<name>": [...]}`, one record per line, into `<name>.json`.
  private static func write(_ records: [String], as name: String, into folder: String) throws {
    let text = "{\"\(name)\": [\n\(records.joined(separator: ",\n"))\n]}\n"
    let file = URL(fileURLWithPath: folder).appendingPathComponent("\(name).json")
    try Data(text.utf8).write(to: file, options: .atomic)
    print("\(folder)/\(name).json: \(records.count) records, \(text.utf8.count) bytes")
  }

  private static func refuse(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(2)
  }
}
