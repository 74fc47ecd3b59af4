import Rejoin
import RejoinCore
import RejoinOutbox

extension Verb {
  /// The verb `rejoin outbox`.
  static let outbox = Verb(
    name: "outbox",
    syntax: Syntax(
      "FILE", following: "list | retry OP | discard OP | edit OP field=JSON ...",
      options: ServerOptions.scope + [
        Syntax.Option(
          name: "--quarantined", meaning: "List also the rows that could not be understood, as they came.")
      ]),
    abstract:
      "Lists what a plain server does not hold yet, or decides what becomes of something that it refused: retry sends "
      + "it again as it is, discard takes it back here, edit writes fields so that the next push sends it anew.",
    keys: [
      Key("server", "what the file calls the server"),
      Key(
        "waiting",
        "what the server does not hold, in the order in which it goes out: a list of {entity, id, state, attempts, "
          + "error, since, operation}; the state is waiting, needs_attention, conflict or refused, since and "
          + "operation are null for what no push has met yet"),
      Key("refused", "what the server refused for good: a list of \(Form.letterKeys)"),
      Key("quarantined", "how many rows could not be understood"),
      Key("rows", "with --quarantined those rows, as they came; null without it"),
      Key("done", "what was done to a refused change: {operation, action}, or null"),
    ]
  ) { arguments in
    let action = try OutboxAction(arguments.repeated)
    let scope = try arguments.scope()
    let outbox = try scope.outbox(of: ReplicaFile.open(arguments))
    try action.perform(on: outbox)
    return try action.report(of: outbox, showsRows: arguments.has("--quarantined"))
  }
}

/// What `rejoin outbox` shall do.
private enum OutboxAction {
  case list
  case retry(OperationID)
  case discard(OperationID)
  case edit(OperationID, [FieldName: Value])

  init(_ words: [String]) throws(Failure) {
    switch words.first {
    case nil: self = .list
    case "list"? where words.count == 1: self = .list
    case "retry"? where words.count <= 2: self = .retry(try OutboxAction.operation(words))
    case "discard"? where words.count <= 2: self = .discard(try OutboxAction.operation(words))
    case "edit"?:
      let operation = try OutboxAction.operation(words)
      let fields = try Arguments.assignments(Array(words.dropFirst(2)))
      guard !fields.isEmpty else { throw .usage("field=JSON is missing.") }
      self = .edit(operation, fields)
    case "list"?, "retry"?, "discard"?:
      throw .usage("The argument \"\(words[words[0] == "list" ? 1 : 2])\" is one too many.")
    case let word?:
      throw .usage("An outbox knows list, retry, discard and edit, not \(Form.quoted(word)).")
    }
  }

  private static func operation(_ words: [String]) throws(Failure) -> OperationID {
    guard words.count > 1 else { throw .usage("OP is missing; rejoin outbox FILE lists the keys.") }
    guard let id = OperationID(words[1]) else {
      throw .usage("OP is a UUID, as rejoin outbox FILE lists it, not \(Form.quoted(words[1])).")
    }
    return id
  }

  func perform(on outbox: Outbox) throws {
    switch self {
    case .list: break
    case .retry(let id): try outbox.retry(id)
    case .discard(let id): try outbox.discard(id)
    case .edit(let id, let fields):
      try outbox.edit(id, fields)
    }
  }

  /// What was done, as the JSON output calls it and as a sentence.
  private var done: (id: OperationID, action: String, sentence: String)? {
    switch self {
    case .list: nil
    case .retry(let id): (id, "retried", "The next push sends it again.")
    case .discard(let id): (id, "discarded", "Taken back: what the server holds shows again.")
    case .edit(let id, _): (id, "edited", "The next push sends it with the new values, under a new key.")
    }
  }

  func report(of outbox: Outbox, showsRows: Bool) throws -> Report {
    let (waiting, letters) = (try outbox.waiting(), try outbox.deadLetters())
    let rows = try outbox.quarantined()
    var lines =
      done.map { [$0.sentence] } ?? waiting.compactMap(Form.text)
      + letters.map { "refused: \(Form.text($0))" }
    if done == nil {
      if showsRows { lines += rows.map { "not understood: \($0.text())" } }
      lines.append(OutboxAction.sum(try outbox.status(), refused: letters.count, quarantined: rows.count))
    }
    return Report(
      text: lines.joined(separator: "\n"),
      json: [
        JSON.Member("server", .string(outbox.configuration.server)),
        JSON.Member("waiting", .array(waiting.map(Form.waiting))),
        JSON.Member("refused", .array(letters.map(Form.letter))),
        JSON.Member("quarantined", .int(Int64(rows.count))),
        JSON.Member("rows", showsRows ? .array(rows) : .null),
        JSON.Member(
          "done",
          done.map { ["operation": .string($0.id.description), "action": .string($0.action)] } ?? .null),
      ])
  }

  private static func sum(_ status: OutboxStatus, refused: Int, quarantined: Int) -> String {
    guard !status.isSynced || quarantined > 0 else { return "The server holds everything." }
    var facts = ["\(status.waiting) waiting"]
    if status.needsAttention > 0 {
      facts.append("\(Form.needing(status.needsAttention)) (\(refused) refused)")
    }
    if quarantined > 0 { facts.append("\(Form.count(quarantined, "row")) not understood") }
    return facts.joined(separator: ", ") + "."
  }
}
