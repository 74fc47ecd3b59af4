import Rejoin
import RejoinCore
import RejoinOutbox

extension Verb {
  /// The verb `rejoin outbox`.
  static let outbox = Verb(
    name: "outbox",
    syntax: Syntax(
      "FILE", following: "list | retry WHAT | discard WHAT | edit OP field=JSON ...",
      options: ServerOptions.scope + [
        Syntax.Option(
          name: "--quarantined", meaning: "List also the rows that could not be understood, as they came.")
      ]),
    abstract:
      "Lists what a plain server does not hold yet, or decides what becomes of something that it refused or that is in "
      + "conflict: retry sends it again as it is, discard takes it back here, edit writes fields so that the next push "
      + "sends it anew. WHAT is the key of a refused change, OP, or a record, COLLECTION/ID.",
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
      Key(
        "done",
        "what was done: {operation, record, action}, with the operation or the record that was named, or null"
      ),
    ]
  ) { arguments in
    let action = try OutboxAction(arguments.repeated)
    let scope = try arguments.scope()
    let outbox = try scope.outbox(of: ReplicaFile.open(arguments))
    try action.perform(on: outbox)
    return try action.report(of: outbox, showsRows: arguments.has("--quarantined"))
  }
}

/// What `rejoin outbox` decides about: a refused change by its key, or a record that is refused or in conflict.
private enum Target {
  case operation(OperationID)
  case record(RecordKey)

  init(_ words: [String]) throws(Failure) {
    guard words.count > 1, let slash = words[1].lastIndex(of: "/") else {
      self = .operation(try OutboxAction.operation(words))
      return
    }
    let (collection, id) = (words[1][..<slash], words[1][words[1].index(after: slash)...])
    guard !collection.isEmpty, let id = RecordID(String(id)) else {
      throw .usage(
        "A record is COLLECTION/ID, as rejoin outbox FILE lists both, not \(Form.quoted(words[1])).")
    }
    self = .record(RecordKey(Collection(String(collection)), id))
  }

  var json: [JSON.Member] {
    switch self {
    case .operation(let id):
      [JSON.Member("operation", .string(id.description)), JSON.Member("record", .null)]
    case .record(let key):
      [JSON.Member("operation", .null), JSON.Member("record", .string("\(key.collection)/\(key.id)"))]
    }
  }
}

/// What `rejoin outbox` shall do.
private enum OutboxAction {
  case list
  case retry(Target)
  case discard(Target)
  case edit(OperationID, [FieldName: Value])

  init(_ words: [String]) throws(Failure) {
    switch words.first {
    case nil: self = .list
    case "list"? where words.count == 1: self = .list
    case "retry"? where words.count <= 2: self = .retry(try Target(words))
    case "discard"? where words.count <= 2: self = .discard(try Target(words))
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

  static func operation(_ words: [String]) throws(Failure) -> OperationID {
    guard words.count > 1 else { throw .usage("OP is missing; rejoin outbox FILE lists the keys.") }
    guard let id = OperationID(words[1]) else {
      throw .usage("OP is a UUID, as rejoin outbox FILE lists it, not \(Form.quoted(words[1])).")
    }
    return id
  }

  func perform(on outbox: Outbox) throws {
    switch self {
    case .list: break
    case .retry(.operation(let id)): try outbox.retry(id)
    case .retry(.record(let key)): try outbox.retry(key.id, in: key.collection)
    case .discard(.operation(let id)): try outbox.discard(id)
    case .discard(.record(let key)): try outbox.discard(key.id, in: key.collection)
    case .edit(let id, let fields):
      try outbox.edit(id, fields)
    }
  }

  /// What was done, as the JSON output calls it and as a sentence.
  private var done: (target: Target, action: String, sentence: String)? {
    switch self {
    case .list: nil
    case .retry(let target): (target, "retried", "The next push sends it again.")
    case .discard(let target): (target, "discarded", "Taken back: what the server holds shows again.")
    case .edit(let id, _):
      (.operation(id), "edited", "The next push sends it with the new values, under a new key.")
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
          done.map { .object($0.target.json + [JSON.Member("action", .string($0.action))]) } ?? .null),
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
