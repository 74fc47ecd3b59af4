public import RejoinCore

/// Document 001's dialect: each change is an intent with a method and a resource of its own, held against the version
/// that the user saw.
///
/// A change that meets another one stays as it is, next to the server's row, until somebody has decided: the queue does
/// not guess. The document says nothing of how a device hears what is new; ``init(templates:pulling:)`` takes that from
/// another dialect.
public struct IntentDialect: Dialect {
  /// Where a kind of change goes.
  public struct Template: Hashable, Sendable {
    /// The method, such as `PATCH`.
    public var method: String
    /// The resource, such as `/api/employees/{id}`; `{id}` and `{entity}` stand for the record's id and its collection.
    public var resource: String

    /// Makes one.
    public init(_ method: String, _ resource: String) {
      self.method = method
      self.resource = resource
    }
  }

  /// What a template is for.
  public struct Kind: Hashable, Sendable {
    /// The collection or log.
    public var entity: String
    /// What shall be done.
    public var operation: OutboxEntry.Operation

    /// Makes one.
    public init(_ entity: String, _ operation: OutboxEntry.Operation) {
      self.entity = entity
      self.operation = operation
    }
  }

  /// One change for each request; what meets another one stops.
  public let rules: DialectRules
  private let templates: [Kind: Template]
  private let source: (any Dialect)?

  /// Makes the dialect.
  ///
  /// - Parameters:
  ///   - templates: where changes go, other than to `POST /api/{entity}`, `PATCH /api/{entity}/{id}` and
  ///     `DELETE /api/{entity}/{id}`.
  ///   - pulling: the dialect in which the server shows what is new; nil where it does not.
  public init(templates: [Kind: Template] = [:], pulling: (any Dialect)? = nil) {
    self.templates = templates
    source = pulling
    var rules = DialectRules()
    rules.batchLimit = 1
    rules.onConflict = .stop
    rules.refersByServerIDs = true
    self.rules = rules
  }

  // MARK: Push

  /// The method and the resource of the entry's kind, with the version that the user saw as `If-Match`.
  public func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    let entry = entries[0]
    let template = template(of: entry)
    var request = HTTPRequest(
      template.method, resource(of: entry, HTTPRequest.escaped), entry, configuration, body: body(of: entry))
    if entry.baseVersion > 0 {
      request.headers.append(HTTPRequest.Parameter("If-Match", "\"\(entry.baseVersion)\""))
    }
    return request
  }

  private func template(of entry: OutboxEntry) -> Template {
    if let template = templates[Kind(entry.subject.entity, entry.operation)] { return template }
    return switch entry.operation {
    case .insert: Template("POST", "/api/{entity}")
    case .update: Template("PATCH", "/api/{entity}/{id}")
    case .delete: Template("DELETE", "/api/{entity}/{id}")
    }
  }

  private func resource(of entry: OutboxEntry, _ escaped: (String) -> String) -> String {
    var resource = ""
    var rest = template(of: entry).resource[...]
    while let open = rest.firstIndex(of: "{") {
      resource += rest[..<open]
      rest = rest[open...]
      if rest.hasPrefix("{id}") {
        resource += escaped(entry.entityID)
        rest = rest.dropFirst(4)
      } else if rest.hasPrefix("{entity}") {
        resource += escaped(entry.subject.entity)
        rest = rest.dropFirst(8)
      } else {
        resource += "{"
        rest = rest.dropFirst()
      }
    }
    return resource + rest
  }

  private func body(of entry: OutboxEntry) -> JSON? {
    switch entry.operation {
    case .insert: .object([JSON.Member("id", .string(entry.entityID))] + entry.wirePayload)
    case .update: .object(entry.wirePayload)
    case .delete: nil
    }
  }

  /// Reads a status, and where the server had changed the record `{serverVersion, server}`.
  public func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    let entry = entries[0]
    switch try StatusAnswer(response, to: entry) {
    case .done(let json):
      let version = json?["version"]?.wireNumber ?? version(in: response)
      return [
        .applied(
          version: version, updatedAt: json?["updatedAt"]?.wireTime, serverID: json?["id"]?.wireText, row: nil
        )
      ]
    case .conflict(let json):
      guard case .object(let fields)? = json["server"] else { return [.conflict(row: nil)] }
      let row = ServerRow(
        entity: entry.subject.entity, id: entry.entityID, version: json["serverVersion"]?.wireNumber,
        updatedAt: json["updatedAt"]?.wireTime, isDeleted: json["deletedAt"]?.wireSaysDeleted ?? false,
        fields: fields)
      return [.conflict(row: row)]
    case .gone: return [.gone]
    case .rejected(let reason): return [.rejected(reason: reason)]
    }
  }

  /// The version in an `ETag`, which is a number in quotation marks, weak or not.
  private func version(in response: HTTPResponse) -> Int64? {
    response.header("ETag").flatMap { tag in
      Int64(tag.replacing("W/", with: "", maxReplacements: 1).filter { $0 != "\"" })
    }
  }

  // MARK: Pull

  /// The other dialect's request.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    source?.pull(from: cursor, configuration)
  }

  /// The other dialect's page.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    guard let source else { throw ForeignAnswer() }
    return try source.page(in: response, from: cursor)
  }

  /// What the other dialect says.
  public func saysUnknownCursor(_ response: HTTPResponse) -> Bool {
    source?.saysUnknownCursor(response) ?? false
  }

  /// The other dialect's cursor.
  public func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String? {
    source?.cursor(cursor, movedBackBy: milliseconds)
  }

  // MARK: The queue

  /// The change as document 001 keeps it.
  public func item(of change: QueuedChange) -> JSON {
    let entry = change.entry
    var members: [JSON.Member] = [
      JSON.Member("id", .string(entry.id.description)),
      JSON.Member("createdAt", .time(entry.createdAt)),
      JSON.Member("intent", .string(entry.intent ?? entry.plainIntent)),
      JSON.Member("method", .string(template(of: entry).method)),
      JSON.Member("resource", .string(resource(of: entry) { $0 })),
      JSON.Member("idempotencyKey", .string(entry.id.description)),
      JSON.Member("baseVersion", .int(entry.baseVersion)),
      JSON.Member("body", body(of: entry) ?? .object([])),
      JSON.Member("attempts", .int(Int64(change.attempts))),
    ]
    if let time = change.lastAttemptAt { members.append(JSON.Member("lastAttemptAt", .time(time))) }
    let status =
      switch change.status {
      case .pending: "pending"
      case .sending: "sending"
      case .conflict: "conflicted"
      case .dead: "failed"
      }
    members.append(JSON.Member("status", .string(status)))
    return .object(members)
  }
}

extension OutboxEntry {
  /// What an entry means that nobody has named, such as `updateEmployees`.
  fileprivate var plainIntent: String {
    operation.rawValue + subject.entity.prefix(1).uppercased() + subject.entity.dropFirst()
  }
}

extension JSON {
  /// A point in time as ISO 8601; as a number where that has no place for it.
  package static func time(_ milliseconds: Int64) -> JSON {
    ISO8601.text(milliseconds).map { .string($0) } ?? .int(milliseconds)
  }
}
