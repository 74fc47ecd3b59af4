import RejoinCore
public import RejoinOutbox

/// Document 000's dialect: accounts and trackers as resources of a plain REST server that gives them ids of its own.
///
/// An account and the trackers that were made with it are one request, and all there is comes as one list. The server knows
/// neither versions nor tombstones nor the activity log: a change that meets another one stays visible until somebody has
/// decided, and what the list lacks is deleted. A deleted account that is restored here comes back without its trackers,
/// once the server has heard of the deletion.
public struct AccountsDialect: Dialect {
  /// What the collections and fields are called.
  package struct Names: Sendable {
    var accounts = Account.collection.text
    var trackers = Tracker.collection.text
    /// The field of a tracker that refers to its account.
    var account = Tracker.CodingKeys.account.rawValue
    /// The field of a tracker that says of which provider it is.
    var slug = Tracker.CodingKeys.providerSlug.rawValue
    /// Where a new account lists the providers.
    var slugs = "provider_slugs"
    /// Fields that hold times.
    var times: Set<String> = ["createdAt", "updatedAt", Tracker.CodingKeys.lastLimitHitAt.rawValue]
    /// Fields of accounts that the server decides.
    var served: Set<String> = ["createdAt", "updatedAt"]
    /// What the server derives and nobody stores.
    var derived: Set<String> = ["restoreAt", "status", "remainingSeconds", "progressPercentage", "trackers"]

    /// Makes other names, for those who test the dialect with records of their own.
    package init(accounts: String, trackers: String, account: String, slug: String, slugs: String) {
      self.accounts = accounts
      self.trackers = trackers
      self.account = account
      self.slug = slug
      self.slugs = slugs
    }

    init() {}
  }

  /// One thing for each request, three attempts, and conflicts that wait for somebody.
  public let rules: DialectRules
  let names: Names

  /// What the outbox of an application with this dialect sends: both collections.
  public static let configuration = OutboxConfiguration(
    collections: outboxConfiguration.collections, kinds: outboxConfiguration.kinds)

  /// Makes the dialect.
  public init() { self.init(Names()) }

  /// Makes the dialect with other names.
  package init(_ names: Names) {
    self.names = names
    var rules = DialectRules()
    rules.isIndivisible = true
    rules.attemptLimit = 3
    rules.endsInConflict = true
    rules.onConflict = .stop
    rules.refersByServerIDs = true
    self.rules = rules
  }

  // MARK: Push

  /// A new tracker travels with its new account.
  public func joins(_ entry: OutboxEntry, _ others: [OutboxEntry]) -> Bool {
    let account = others[0]
    return isNewAccount(account) && entry.operation == .insert && entry.subject.entity == names.trackers
      && entry.payload.contains { $0.name == names.account && $0.value == .string(account.subject.id) }
  }

  private func isNewAccount(_ entry: OutboxEntry) -> Bool {
    entry.operation == .insert && entry.subject.entity == names.accounts
  }

  /// `POST`, `PATCH` or `DELETE` of the first entry's resource; a new account lists the providers of the others.
  public func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    let entry = entries[0]
    let path = "/\(HTTPRequest.escaped(entry.subject.entity))"
    let resource = "\(path)/\(HTTPRequest.escaped(entry.entityID))"
    switch entry.operation {
    case .insert:
      var members = payload(of: entry).filter { $0.value != .null }
      if isNewAccount(entry) {
        let slugs = entries.dropFirst().map { slug(of: $0.payload) }
        members.append(JSON.Member(names.slugs, .array(slugs)))
      }
      return HTTPRequest("POST", path, entry, configuration, body: .object(members))
    case .update:
      return HTTPRequest("PATCH", resource, entry, configuration, body: .object(payload(of: entry)))
    case .delete: return HTTPRequest("DELETE", resource, entry, configuration)
    }
  }

  private func slug(of fields: [JSON.Member]) -> JSON {
    fields.first { $0.name == names.slug }?.value ?? .null
  }

  private func payload(of entry: OutboxEntry) -> [JSON.Member] {
    let isAccount = entry.subject.entity == names.accounts
    return entry.wirePayload.compactMap { member in
      if isAccount, names.served.contains(member.name) { return nil }
      guard names.times.contains(member.name), let time = member.value.wireTime else { return member }
      return JSON.Member(member.name, .time(time))
    }
  }

  // MARK: Answers

  /// Reads a status and the whole entity, for a new account with the trackers that were made with it.
  public func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    let entry = entries[0]
    switch try StatusAnswer(response, to: entry) {
    case .done(let json):
      var trackers: [ServerRow] = isNewAccount(entry) ? self.trackers(of: json ?? .null) : []
      var row: ServerRow?
      if let json, entry.operation != .delete { row = self.row(json, of: entry) }
      let answer = EntryAnswer.applied(
        version: row?.version, updatedAt: row?.updatedAt, serverID: row?.id, row: row)
      let others = entries.dropFirst().map { tracker -> EntryAnswer? in
        let slug = slug(of: tracker.payload)
        guard let place = trackers.firstIndex(where: { self.slug(of: $0.fields) == slug }) else { return nil }
        return .begun(row: trackers.remove(at: place))
      }
      return [answer] + others
    case .conflict(let json): return [.conflict(row: row(json, of: entry))]
    case .gone: return [.gone]
    case .rejected(let reason): return [.rejected(reason: reason)]
    }
  }

  private func row(_ json: JSON, of entry: OutboxEntry) -> ServerRow? {
    row(json, entity: entry.subject.entity)
  }

  /// An account or a tracker by itself.
  private func row(_ json: JSON, entity: String) -> ServerRow? {
    guard case .object(let members) = json, let id = json["id"]?.wireText, !id.isEmpty else { return nil }
    var row = ServerRow(entity: entity, id: id)
    row.updatedAt = json["updatedAt"]?.wireTime
    row.fields = members.compactMap { member in
      if member.name == "id" || names.derived.contains(member.name) { return nil }
      guard names.times.contains(member.name), let time = member.value.wireTime else { return member }
      return JSON.Member(member.name, .int(time))
    }
    return row
  }

  /// The trackers of an account.
  private func trackers(of account: JSON) -> [ServerRow] {
    guard case .array(let trackers)? = account["trackers"], let id = account["id"]?.wireText else {
      return []
    }
    return trackers.compactMap { json in
      guard var row = row(json, entity: names.trackers) else { return nil }
      row.updatedAt = row.updatedAt ?? account["updatedAt"]?.wireTime
      row.fields.removeAll { $0.name == names.account }
      row.fields.append(JSON.Member(names.account, .string(id)))
      return row
    }
  }

  // MARK: Pull

  /// `GET /accounts`: all there is.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    var request = HTTPRequest("GET", "/\(HTTPRequest.escaped(names.accounts))")
    request.headers.append(HTTPRequest.Parameter("Schema-Version", String(configuration.schemaVersion)))
    return request
  }

  /// Reads a list of accounts with their trackers.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    guard case .array(let accounts)? = response.json else { throw ForeignAnswer() }
    var page = PullPage(rows: [], cursor: nil, hasMore: false)
    for account in accounts {
      guard let row = row(account, entity: names.accounts) else {
        page.unreadable.append(account)
        continue
      }
      page.rows.append(row)
      page.rows += trackers(of: account)
    }
    page.complete = [Collection(names.accounts), Collection(names.trackers)]
    return page
  }

  /// A list has no cursors.
  public func saysUnknownCursor(_ response: HTTPResponse) -> Bool { false }
}
