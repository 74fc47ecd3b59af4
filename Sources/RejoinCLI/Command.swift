import Foundation

/// The command line tool: finds the verb, runs it, prints what it says and ends with its code.
@main
enum Command {
  /// Runs the command that the process was started with.
  static func main() async {
    exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// Runs one command.
  static func run(_ words: [String]) async -> ExitCode {
    let asJSON = words.prefix { $0 != "--" }.contains("--json")
    guard let name = words.first(where: { $0 != "--json" }) else {
      return fail(.usage("A verb is missing; rejoin help lists them."), usage: Help.usage, asJSON: asJSON)
    }
    var rest = words
    if let index = rest.firstIndex(of: name) { rest.remove(at: index) }
    switch name {
    case "help", "--help", "-h": return help(rest, asJSON: asJSON)
    default:
      guard let verb = Verb.named(name) else {
        return fail(Help.unknown(name), usage: Help.usage, asJSON: asJSON)
      }
      if rest.prefix(while: { $0 != "--" }).contains("--help") { return help([name], asJSON: asJSON) }
      return await run(verb, rest, asJSON: asJSON)
    }
  }

  private static func run(_ verb: Verb, _ words: [String], asJSON: Bool) async -> ExitCode {
    var file: String?
    do {
      let arguments = try Arguments(words, syntax: verb.syntax)
      file = arguments.file
      _ = try arguments.nowMilliseconds
      let report = try await verb.run(arguments)
      Output.print(report, asJSON: asJSON)
      return report.exitCode
    } catch {
      return fail(Failure(error, file: file), usage: verb.usage, asJSON: asJSON)
    }
  }

  private static func help(_ words: [String], asJSON: Bool) -> ExitCode {
    do {
      Output.print(try Help.report(words), asJSON: asJSON)
      return .done
    } catch {
      return fail(error, usage: Help.usage, asJSON: asJSON)
    }
  }

  private static func fail(_ failure: Failure, usage: String, asJSON: Bool) -> ExitCode {
    Output.print(failure, usage: usage, asJSON: asJSON)
    return failure.exitCode
  }
}
