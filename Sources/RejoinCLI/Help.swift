import RejoinCore

/// What the tool says about itself.
enum Help {
  /// The answer to `rejoin help [VERB]`.
  static func report(_ words: [String]) throws(Failure) -> Report {
    let words = words.filter { $0 != "--json" }
    guard words.count <= 1 else { throw .usage("Help takes one verb at most.") }
    guard let name = words.first else { return overview }
    guard let verb = Verb.named(name) else { throw unknown(name) }
    return details(of: verb)
  }

  /// The failure of a command whose verb does not exist.
  static func unknown(_ name: String) -> Failure {
    .usage("There is no verb \"\(name)\". The verbs are: \(Verb.all.map(\.name).joined(separator: ", ")).")
  }

  /// The first line of all that is wrong usage without a verb.
  static let usage = "rejoin VERB [ARGUMENT ...] [--json] [--now MILLISECONDS]"

  /// All verbs.
  static var overview: Report {
    var lines = ["Usage: \(usage)", "       rejoin help [VERB]", ""]
    for verb in Verb.all {
      lines += ["  rejoin \(verb.name) \(verb.syntax.usage)", "      \(verb.abstract)"]
    }
    lines += ["", ExitCode.explanation]
    return Report(
      text: lines.joined(separator: "\n"), json: [JSON.Member("verbs", .array(Verb.all.map(form)))])
  }

  /// One verb with its options and the keys of its JSON output.
  static func details(of verb: Verb) -> Report {
    var lines = ["Usage: \(verb.usage)", "", verb.abstract, "", "Options:"]
    for option in verb.syntax.options + Syntax.common {
      let names = [option.name, option.alias].compactMap(\.self).joined(separator: ", ")
      lines.append("  \(names)\(option.value.map { " \($0)" } ?? ""): \(option.meaning)")
    }
    lines += ["", "Keys of the JSON object:"]
    lines += verb.keys.map { "  \($0.name): \($0.meaning)" }
    lines += ["", ExitCode.explanation]
    return Report(text: lines.joined(separator: "\n"), json: [JSON.Member("verbs", [form(of: verb)])])
  }

  private static func form(of verb: Verb) -> JSON {
    [
      "name": .string(verb.name),
      "usage": .string(verb.usage),
      "abstract": .string(verb.abstract),
      "keys": .object(verb.keys.map { JSON.Member($0.name, .string($0.meaning)) }),
    ]
  }
}
