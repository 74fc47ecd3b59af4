import RejoinCore

/// How far this device's own writes went somewhere: into the lanes, into an entry, or to the server.
///
/// One time for each id under which this device ever wrote; writes of others have no place here.
struct Frontier: Hashable, Sendable {
  private(set) var times: [ReplicaID: HybridTime] = [:]

  /// The time reached by an id.
  subscript(origin: ReplicaID) -> HybridTime {
    get { times[origin] ?? .zero }
    set { times[origin] = newValue }
  }

  /// Whether a write lies behind the frontier.
  func covers(_ timestamp: Timestamp) -> Bool { timestamp.time <= self[timestamp.replica] }

  /// Whether a write is this device's own and lies before the frontier, still to be sent.
  func awaits(_ timestamp: Timestamp) -> Bool {
    times[timestamp.replica] != nil && !covers(timestamp)
  }

  /// The form in which it is kept: times by id.
  var json: JSON {
    .object(
      times.sorted { $0.key < $1.key }.map { JSON.Member($0.key.description, .string($0.value.description)) })
  }

  /// No write has gone anywhere.
  init() {}

  /// Reads what was kept.
  init(json: JSON?) throws(OutboxError) {
    guard case .object(let members)? = json else { throw .damagedState("frontier") }
    for member in members {
      guard let origin = ReplicaID(member.name), case .string(let text) = member.value,
        let time = HybridTime(text)
      else { throw .damagedState("frontier") }
      times[origin] = time
    }
  }
}
