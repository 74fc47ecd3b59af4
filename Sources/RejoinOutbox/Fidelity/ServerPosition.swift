import Rejoin
import RejoinCore

/// What the device keeps of a server that is a replica: where its pages go on there, and how long it wants to be left
/// alone.
struct ServerPosition {
  /// How far the server had come when it last said so, with the pages that it keeps; nil where that is not known.
  var position: PagePosition?
  /// When the server may be asked again, in milliseconds since the Unix epoch.
  var due: Int64 = 0
  /// How often it was busy since it last answered.
  var attempts: Int64 = 0

  private static func key(_ exchange: DeltaExchange) -> LocalKey {
    LocalKey("delta-server", Array(exchange.server.utf8))
  }

  /// Nothing is known.
  init() {}

  /// Reads it; what cannot be read is asked for again.
  init(_ exchange: DeltaExchange) throws {
    guard let text = try exchange.replica.keptText(ServerPosition.key(exchange)),
      let json = try? JSON(parsing: text)
    else { return }
    position = PagePosition(json)
    due = json["due"]?.wireNumber ?? 0
    attempts = json["attempts"]?.wireNumber ?? 0
  }

  /// Keeps it.
  func keep(_ exchange: DeltaExchange) throws {
    var members = [JSON.Member("due", .int(due)), JSON.Member("attempts", .int(attempts))]
    members += position?.members ?? []
    let text = String(decoding: JSON.object(members).bytes(), as: UTF8.self)
    try exchange.replica.keep(text, under: ServerPosition.key(exchange))
  }

  /// Leaves the server alone for as long as it wishes, and longer each time that it is busy again.
  mutating func wait(_ wish: Int64?, at wallMilliseconds: Int64, randomBits: UInt64) {
    attempts = min(attempts, 16) + 1
    let wait = BackOff.wait(attempts: Int(attempts), randomBits: randomBits)
    due = wallMilliseconds + max(BackOff.wish(wish), wait)
  }
}

extension PagePosition {
  /// Reads `{"vector": …, "cursor": …}`; nil where it is anything else.
  init?(_ json: JSON) {
    guard let vector = json["vector"].flatMap(VersionVector.init(json:)) else { return nil }
    self.init(vector: vector)
    switch json["cursor"] {
    case .string(let text)?:
      guard let place = DeltaPlace(text) else { return nil }
      self.place = place
    case .null?, nil: break
    default: return nil
    }
  }

  /// As above, to write it.
  var members: [JSON.Member] {
    [
      JSON.Member("vector", vector.json),
      JSON.Member("cursor", place.map { .string($0.description) } ?? .null),
    ]
  }
}
