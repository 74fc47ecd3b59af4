import AccountTrackers
import Rejoin
import RejoinCore
import RejoinOutbox

/// One exchange with a plain server, as the verbs push, pull and cycle do it.
struct Exchange {
  /// The outbox.
  let outbox: Outbox
  /// What was done.
  let report: CycleReport
  /// How the device and the server stand to each other afterwards.
  let status: OutboxStatus
  private let file: String
  private let direction: SyncCycle.Direction

  /// Exchanges until there is nothing more to say, or the server stops it.
  static func run(_ arguments: Arguments, _ direction: SyncCycle.Direction) async throws -> Exchange {
    let (url, dialect, given) = (try arguments.serverURL(), try arguments.dialect(), try arguments.scope())
    let replica = try ReplicaFile.open(arguments)
    let scope = try given.completed(by: replica)
    try scope.keep(in: replica)
    var configuration = scope.configuration
    if dialect.name == "000" { configuration.kinds = AccountsDialect.configuration.kinds }
    let outbox = try Outbox(
      replica, configuration: configuration, dialect: dialect.dialect(configuration, replica))
    let token = arguments.token
    let connection = HTTPConnection(url) { isRefused in isRefused ? nil : token }
    defer { Progress.show("") }
    var cycle = outbox.cycle(direction, ignoringWaits: arguments.has("--ignore-waits"))
    while let request = try cycle.next() {
      Progress.show("\(cycle.report.push.applied.count) sent, \(cycle.report.pull.rows) fetched ...")
      try cycle.receive(try await connection.send(request))
    }
    return Exchange(
      outbox: outbox, report: cycle.report, status: try outbox.status(), file: arguments.text("FILE"),
      direction: direction)
  }

  /// Why it ended early.
  var stopped: StopReason? { report.push.stopped ?? report.pull.stopped }

  /// How many rows of pages and answers are kept as they came.
  private var notUnderstood: Int { report.push.quarantined + report.pull.quarantined }

  /// What waits here is no fault of a pull, which sends nothing.
  private var exitCode: ExitCode {
    if stopped != nil { return .peer }
    let isDone = (direction == .pull || status.isSynced) && notUnderstood == 0
    return isDone ? .done : .refused
  }

  /// What the verb says: a sentence for each fact.
  var told: Report {
    var lines: [String] = []
    if direction != .pull { lines += pushLines }
    if direction != .push { lines += pullLines }
    if notUnderstood > 0 {
      lines.append(
        "\(Form.count(notUnderstood, "row")) could not be understood and \(notUnderstood == 1 ? "stays as it" : "stay as they") came: "
          + "rejoin outbox \(file)\(nameOption) --quarantined")
    }
    return Report(
      text: lines.joined(separator: "\n"), json: json, exitCode: exitCode,
      notes: stopped.map { [Form.explanation(of: $0)] } ?? [])
  }

  private var pushLines: [String] {
    let push = report.push
    var facts = ["\(push.applied.count) sent"]
    if status.waiting > 0 { facts.append("\(status.waiting) waiting") }
    if status.needsAttention > 0 { facts.append(Form.needing(status.needsAttention)) }
    var lines = [facts.joined(separator: ", ") + "."]
    if !push.conflicts.isEmpty {
      lines.append("\(Form.count(push.conflicts.count, "change")) met others on the server.")
    }
    if push.putOff > 0 {
      lines.append("The server put off \(Form.count(push.putOff, "change")); push again later.")
    }
    lines += push.rejected.map { "refused: \(Form.text($0))" }
    if status.needsAttention > 0 { lines.append("See what to do: rejoin outbox \(file)\(nameOption)") }
    return lines
  }

  private var pullLines: [String] {
    let pull = report.pull
    var lines: [String] = []
    if pull.hasStartedAgain { lines.append("The server began anew, so everything was fetched again.") }
    if pull.requests > 0 { lines.append("\(pull.rows) fetched.") }
    return lines
  }

  private var nameOption: String {
    let server = outbox.configuration.server
    return server == "main" ? "" : " --name \(server)"
  }

  private var json: [JSON.Member] {
    [
      JSON.Member("server", .string(outbox.configuration.server)),
      JSON.Member("sent", .int(Int64(report.push.applied.count))),
      JSON.Member("conflicts", .int(Int64(report.push.conflicts.count))),
      JSON.Member("put_off", .int(Int64(report.push.putOff))),
      JSON.Member("refused", .array(report.push.rejected.map(Form.letter))),
      JSON.Member("fetched", .int(Int64(report.pull.rows))),
      JSON.Member("not_understood", .int(Int64(notUnderstood))),
      JSON.Member("started_again", .bool(report.pull.hasStartedAgain)),
      JSON.Member("requests", .int(Int64(report.push.requests + report.pull.requests))),
      JSON.Member("waiting", .int(Int64(status.waiting))),
      JSON.Member("needs_attention", .int(Int64(status.needsAttention))),
      JSON.Member("stopped", stopped.map(Form.stop) ?? .null),
    ]
  }

  /// What the members of the JSON object mean.
  static let keys = [
    Verb.Key("server", "what the file calls the server"),
    Verb.Key("sent", "how many records and log entries the server took"),
    Verb.Key("conflicts", "how often the server had changed a record meanwhile"),
    Verb.Key("put_off", "how many the server put off"),
    Verb.Key("refused", "what it refused for good: a list of \(Form.letterKeys)"),
    Verb.Key("fetched", "how many rows came"),
    Verb.Key("not_understood", "how many rows could not be understood, and stay as they came"),
    Verb.Key("started_again", "whether the server began anew, so that everything was fetched again"),
    Verb.Key("requests", "how many requests were made"),
    Verb.Key("waiting", "how many records and log entries are on their way"),
    Verb.Key(
      "needs_attention",
      "how many of all need a person; exit code 1 after a push if any does, or something waits"),
    Form.stopKey,
  ]
}
