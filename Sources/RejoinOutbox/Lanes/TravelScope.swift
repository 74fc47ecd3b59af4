import Rejoin
import RejoinCore

/// Which collections and logs travelled when an outbox was last cut.
///
/// An application may add some later. What was written to them before lies behind the frontier, and what the server has
/// of them behind the cursor, so neither would ever travel if nobody remembered.
struct TravelScope: Hashable, Sendable {
  /// The collections; nil for all.
  var collections: Set<Collection>?
  /// The logs.
  var logs: Set<LogName>

  init(_ configuration: OutboxConfiguration) {
    collections = configuration.collections
    logs = configuration.logs
  }

  /// Whether everything that travels by `other` travels by this.
  func covers(_ other: TravelScope) -> Bool {
    guard other.logs.isSubset(of: logs) else { return false }
    guard let collections else { return true }
    return other.collections?.isSubset(of: collections) ?? false
  }

  /// Whether a subject travels; the library's own collections never do.
  func includes(_ subject: Subject) -> Bool {
    switch subject {
    case .record(let key):
      !key.collection.isReserved && (collections?.contains(key.collection) ?? true)
    case .entry(let key): logs.contains(key.log)
    }
  }

  /// The form in which it is kept.
  var json: JSON {
    [
      "collections": collections.map { .array($0.sorted().map { .string($0.text) }) } ?? .null,
      "logs": .array(logs.sorted().map { .string($0.text) }),
    ]
  }

  /// Reads what was kept.
  init(json: JSON) throws(OutboxError) {
    func names(_ json: JSON?) -> [String]? {
      guard case .array(let elements)? = json else { return nil }
      return elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
    guard let logs = names(json["logs"]), let collections = json["collections"] else {
      throw .damagedState("scope")
    }
    self.collections = names(collections).map { Set($0.map { Collection($0) }) }
    self.logs = Set(logs.map { LogName($0) })
  }
}

extension ServerTransaction {
  /// What this device wrote to collections and logs that did not travel at the last cut.
  ///
  /// - Complexity: O(n) in this device's writes where any was added, else O(1).
  func added(by configuration: OutboxConfiguration) throws -> [Subject] {
    guard let before = try scope(), !before.covers(TravelScope(configuration)) else { return [] }
    return try written(after: beginning(configuration), configuration).filter { !before.includes($0) }
  }

  /// Before everything that this device sends.
  private func beginning(_ configuration: OutboxConfiguration) throws -> Frontier {
    var nothing = Frontier()
    for origin in try frontier(configuration).origins { nothing.know(origin) }
    return nothing
  }

  /// Begins lanes for what was added, and lets the next pull begin anew, which brings what the server has of it.
  mutating func widen(to configuration: OutboxConfiguration) throws {
    let now = TravelScope(configuration)
    let before = try scope()
    guard before != now else { return }
    let nothing = try beginning(configuration)
    for subject in try added(by: configuration) { try begin(subject, acknowledged: nothing) }
    if let before, !before.covers(now) { try keep(text: nil, as: "cursor") }
    try keep(text: now.json.text(), as: "scope")
  }

  private func scope() throws -> TravelScope? {
    try text("scope").map { text in try TravelScope(json: KeptState.parse(text)) }
  }
}
