import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox

/// An exchange with a server that is a replica, as `rejoin sync` does it.
enum DeltaSync {
  /// Exchanges until both sides hold the same, or something stops it.
  static func run(_ arguments: Arguments, _ url: URL) async throws -> Report {
    let path = arguments.text("FILE")
    let replica = try ReplicaFile.open(arguments)
    let exchange = DeltaExchange(
      replica, server: url.absoluteString, schemaVersion: try arguments.scope().schemaVersion ?? 1)
    let token = arguments.token
    let connection = HTTPConnection(url) { isRefused in isRefused ? nil : token }
    defer { Progress.show("") }
    let report: DeltaExchangeReport
    do {
      report = try await exchange.run(
        over: connection, ignoringWaits: arguments.has("--ignore-waits"),
        progress: {
          Progress.show("\($0.sent.registers) registers sent, \($0.fetched.registers) fetched ...")
        })
    } catch let error as DeltaExchangeError {
      throw Failure.peer("\(path): \(error)")
    }
    var lines = ["\(path) -> server: \(Form.moved(report.sent))"]
    if let merged = report.merged {
      lines += Form.lines(merged, from: "server", to: path)
    } else if report.fetched.pages > 0 {
      lines.append("server -> \(path): \(Form.moved(report.fetched)), kept until the rest comes")
    }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("file", report.merged.map { .object(Form.merge($0)) } ?? .null)
      ] + Verb.fileKeys.map { JSON.Member($0.name, .null) } + [
        JSON.Member("sent", Form.direction(report.sent)),
        JSON.Member("fetched", Form.direction(report.fetched)),
        JSON.Member("requests", .int(Int64(report.requests))),
        JSON.Member("stopped", report.stopped.map(Form.stop) ?? .null),
      ],
      exitCode: report.stopped == nil ? .done : .peer,
      notes: report.stopped.map { [Form.explanation(of: $0)] } ?? [])
  }

  /// What the members of the JSON object mean, beside those of two files.
  static let keys = [
    Verb.Key(
      "sent",
      "with a server how much, as {pages, registers, entries}; with a file null, as the next three are"),
    Verb.Key("fetched", "what came from it, likewise"),
    Verb.Key("requests", "how many requests were made"), Form.stopKey,
  ]
}

extension Form {
  /// What went one way, as text.
  static func moved(_ direction: PageCounts) -> String {
    "\(count(direction.registers, "register")) and \(count(direction.entries, "log entry", plural: "log entries"))"
  }

  /// What went one way.
  static func direction(_ direction: PageCounts) -> JSON {
    [
      "pages": .int(Int64(direction.pages)), "registers": .int(Int64(direction.registers)),
      "entries": .int(Int64(direction.entries)),
    ]
  }
}
