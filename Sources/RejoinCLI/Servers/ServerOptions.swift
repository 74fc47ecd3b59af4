import AccountTrackers
import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox

/// The options of the verbs that concern a plain server.
enum ServerOptions {
  /// A dialect by the document that describes it, made for what travels.
  struct NamedDialect {
    var name: String
    var dialect: @Sendable (OutboxConfiguration, Replica) throws -> any Dialect
  }

  /// The dialects that the tool speaks; the first is the default one.
  static let dialects = [
    NamedDialect(name: "004") { _, _ in MutationsDialect() },
    NamedDialect(name: "000") { _, replica in
      _ = try AccountBook(replica)
      return AccountsDialect()
    },
    NamedDialect(name: "001") { _, _ in IntentDialect() },
    NamedDialect(name: "002") { _, _ in UpsertDialect() },
    NamedDialect(name: "003") { configuration, _ in
      let collections = (configuration.collections ?? []).map(\.text) + configuration.logs.map(\.text)
      guard !collections.isEmpty else {
        throw Failure.usage("The dialect 003 fetches table by table: name them with --collections or --logs.")
      }
      return TableDialect(tables: collections.sorted())
    },
  ]

  /// Which server of the file is meant, and what travels to it.
  static let scope = [
    Syntax.Option(
      name: "--name", value: "SERVER",
      meaning: "What the file calls the server; \"main\" without it. Each server has an outbox of its own."),
    Syntax.Option(
      name: "--collections", value: "NAME,...",
      meaning: "The collections that travel; all without it, or what was said the last time."),
    Syntax.Option(
      name: "--logs", value: "NAME,...",
      meaning: "The logs that travel; none without it, or what was said the last time."),
  ]

  /// Where the server is and how it is spoken to.
  static let connection = [
    Syntax.Option(
      name: "--server", value: "URL", isRequired: true,
      meaning: "Where the server's paths begin, such as https://example.com/api."),
    Syntax.Option(
      name: "--dialect", value: "NAME",
      meaning:
        "How it is spoken to, by the document that describes it: "
        + "\(dialects.map(\.name).sorted().joined(separator: ", ")); \(dialects[0].name) without it."
    ),
    Syntax.Option(
      name: "--token", value: "TEXT",
      meaning:
        "What stands behind Bearer. Better put it into the environment variable REJOIN_TOKEN: arguments show "
        + "in process lists."),
    Syntax.Option(
      name: "--schema", value: "N",
      meaning:
        "The version of the records that the server is told; 1 without it, or what was said the last time."),
    Syntax.Option(
      name: "--ignore-waits",
      meaning:
        "Ask although the server wished to be left alone for a while, and send also what it put off. For a "
        + "person who wants it now, not for timers."),
  ]

  /// The options of ``connection`` that a server wants that is a replica.
  static let replicaConnection = connection.filter {
    ["--token", "--schema", "--ignore-waits"].contains($0.name)
  }

  /// The address of a server; nil where it is anything else.
  static func url(_ text: String) -> URL? {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil
    else { return nil }
    return url
  }

  /// The environment variable that holds the token.
  static let tokenVariable = "REJOIN_TOKEN"
}

extension Arguments {
  /// The server that `--server` names.
  func serverURL() throws(Failure) -> URL {
    let text = option("--server") ?? ""
    guard let url = ServerOptions.url(text) else {
      throw .usage("--server takes an address such as https://example.com/api, not \(Form.quoted(text)).")
    }
    return url
  }

  /// How `--dialect` wants the server to be spoken to.
  func dialect() throws(Failure) -> ServerOptions.NamedDialect {
    let known = ServerOptions.dialects
    guard let name = option("--dialect") else { return known[0] }
    guard let found = known.first(where: { $0.name == name }) else {
      throw .usage(
        "There is no dialect \(Form.quoted(name)); the tool knows: "
          + "\(known.map(\.name).sorted().joined(separator: ", ")).")
    }
    return found
  }

  /// The token of `--token`, or of the environment; an empty one is none.
  var token: String? {
    let text = option("--token") ?? ProcessInfo.processInfo.environment[ServerOptions.tokenVariable]
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What the options say about what travels.
  func scope() throws(Failure) -> ServerScope {
    var scope = ServerScope()
    if let name = try name("--name") {
      guard !name.isEmpty, name.utf8.count <= Limits.nameBytes else {
        throw .usage("--name takes a name of 1 to \(Limits.nameBytes) bytes.")
      }
      scope.server = name
    }
    scope.collections = try names("--collections")
    scope.logs = try names("--logs")
    if let text = option("--schema") {
      guard let number = Int(text), number > 0 else {
        throw .usage("--schema takes a whole number from 1, not \(Form.quoted(text)).")
      }
      scope.schemaVersion = number
    }
    return scope
  }

  /// The names in a list with commas; nil without the option.
  private func names(_ option: String) throws(Failure) -> [String]? {
    guard let text = try name(option) else { return nil }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for name in names where name.isEmpty || name.utf8.count > Limits.nameBytes {
      throw .usage("\(option) takes names with commas between them, such as a,b, not \(Form.quoted(text)).")
    }
    return names
  }
}
