import RejoinCore

/// The id under which this device writes down what one server says, and how far its times went.
///
/// It goes with the replica's id: a copy of the file, which takes a new one, takes a new proxy, too.
struct Proxy {
  private(set) var id: ReplicaID
  private(set) var lastTime: HybridTime
  private(set) var hasWritten = false
  let key: LocalKey
  /// What has to be kept, where the proxy is new.
  let textToKeep: String?

  /// Where the ids of the proxies are kept, by the names of the servers.
  static let space = "proxy"

  init(for server: String, of engine: Engine) throws {
    key = LocalKey(Proxy.space, Array(server.utf8))
    let owner = engine.header.replica.description
    let kept = try engine.store.local(key)?.split(separator: " ").map(String.init) ?? []
    if kept.count == 2, kept[0] == owner, let id = ReplicaID(kept[1]), id.isProxy {
      self.id = id
      textToKeep = nil
    } else {
      var generator = EnvironmentGenerator(engine.environment)
      id = .randomProxy(using: &generator)
      textToKeep = "\(owner) \(id)"
    }
    lastTime = engine.vector[id]
  }

  /// A timestamp later than all of this proxy's and than `floor`, and not before `time`.
  mutating func timestamp(notBefore time: HybridTime, after floor: HybridTime) -> Timestamp {
    let before = max(lastTime, floor)
    lastTime = max(time, before.successor)
    hasWritten = true
    return Timestamp(time: lastTime, replica: id)
  }
}
