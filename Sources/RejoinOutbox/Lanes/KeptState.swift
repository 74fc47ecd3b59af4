import Rejoin
import RejoinCore

/// What an outbox keeps for its server, each in a space of its own.
///
/// | space | key | what |
/// |---|---|---|
/// | `lane` | subject | the lane of a record or log entry |
/// | `queue` | sequence | the subjects of the lanes that nothing stops, in order |
/// | `shadow` | subject | what the server was last known to hold |
/// | `alias` | entity, server's id | the record's id |
/// | `name` | log entry | the server's id |
/// | `twin` | record | the server's id, while the record that was derived from it holds unsent changes |
/// | `quarantine` | entity, server's id, or what stands for them | a row that could not be understood, as it came, and the schema version then |
/// | `state` | name | cursor, frontiers, lease, numbers, until when the server asked to wait |
extension ServerTransaction {
  private func key(_ space: String, _ bytes: [UInt8]) -> LocalKey { LocalKey("\(server)/\(space)", bytes) }

  /// Reads what was kept as JSON.
  private func json(_ key: LocalKey) throws -> JSON? {
    guard let text = try kept(key) else { return nil }
    return try KeptState.parse(text)
  }

  // MARK: Lanes

  func lane(of subject: Subject) throws -> Lane? {
    try json(key("lane", subject.key)).map { json in try Lane(subject, json: json) }
  }

  /// Keeps a lane as it is now, and its place in the queue.
  mutating func keep(_ lane: Lane) throws {
    try keep(lane.json.text(), under: key("lane", lane.subject.key))
    let text = lane.stop == nil ? Base64.encode(lane.subject.key) : nil
    try keep(text, under: key("queue", lane.sequence.bigEndianBytes))
  }

  /// Takes a lane away: everything of its subject has reached the server, or never will.
  mutating func end(_ lane: Lane) throws {
    if case .record(let key) = lane.subject { try forgetReplaced(at: key) }
    try keep(nil, under: key("lane", lane.subject.key))
    try keep(nil, under: key("queue", lane.sequence.bigEndianBytes))
  }

  /// Calls `body` for the lanes that nothing stops, in order, until it returns false.
  func forEachQueued(from first: UInt64 = 0, _ body: (Lane) throws -> Bool) throws {
    try forEachKept(in: "\(server)/queue", from: first.bigEndianBytes) { _, text in
      guard let subject = Base64.decode(text).flatMap({ Subject(key: $0) }), let lane = try lane(of: subject)
      else {
        throw OutboxError.damagedState("queue")
      }
      return try body(lane)
    }
  }

  /// Calls `body` for every lane, until it returns false.
  func forEachLane(_ body: (Lane) throws -> Bool) throws {
    try forEachKept(in: "\(server)/lane") { bytes, text in
      guard let subject = Subject(key: bytes) else { throw OutboxError.damagedState("lane") }
      return try body(Lane(subject, json: KeptState.parse(text)))
    }
  }

  // MARK: Shadows and names

  func shadow(of subject: Subject) throws -> Shadow? {
    guard let shadow = try lastShadow(of: subject) else { return nil }
    return shadow.epoch == (try number("epoch")) ? shadow : nil
  }

  /// As above, also of a server's history that is over.
  func lastShadow(of subject: Subject) throws -> Shadow? {
    try kept(key("shadow", subject.key)).map { text in try Shadow(text: text) }
  }

  mutating func keep(_ shadow: Shadow, of subject: Subject) throws {
    try keep(shadow.text, under: key("shadow", subject.key))
  }

  /// The records of a collection that the server was ever known to hold.
  func shadowed(in collection: Collection) throws -> [Subject] {
    let prefix = Subject.keyPrefix(of: collection)
    var subjects: [Subject] = []
    try forEachKept(in: "\(server)/shadow", from: prefix) { bytes, _ in
      guard bytes.starts(with: prefix) else { return false }
      guard let subject = Subject(key: bytes) else { throw OutboxError.damagedState("shadow") }
      subjects.append(subject)
      return true
    }
    return subjects
  }

  /// Forgets what the server was known to hold of a collection, but for what holds unsent changes: without it, nobody
  /// could tell what of a row the server has changed since they were made.
  mutating func forgetShadows(of collection: Collection) throws {
    for subject in try shadowed(in: collection) where try lane(of: subject) == nil {
      guard var shadow = try lastShadow(of: subject) else { continue }
      // What edits were made over is still known.
      shadow.epoch = -1
      try keep(shadow, of: subject)
    }
  }

  /// The server's id of a subject, where it is another than the device's: it travels with the record, so that devices
  /// that have it from each other know it, too.
  func serverID(of subject: Subject) throws -> String? {
    guard case .record(let key) = subject else { return try kept(self.key("name", subject.key)) }
    return try record(key)?.serverIDs[Array(server.utf8)]
  }

  /// The device's id of what the server knows under an id of its own.
  func aliased(_ serverID: String, in entity: String) throws -> String? {
    try kept(key("alias", KeptState.pair(entity, serverID)))
  }

  /// The record that the server knows under an id of its own.
  func record(named serverID: String, in entity: String) throws -> RecordID? {
    try aliased(serverID, in: entity).flatMap { RecordID($0) }
  }

  /// Whether an id that a server says is, as far as this device knows, that of something else.
  func isTaken(_ serverID: String, by other: Subject) throws -> Bool {
    if let known = try aliased(serverID, in: other.entity) { return known != other.id }
    guard serverID != other.id, case .record(let key) = other, let id = RecordID(serverID) else {
      return false
    }
    return try record(RecordKey(key.collection, id)) != nil
  }

  /// Learns under which id the server knows a record.
  ///
  /// The first one that was learnt stays, unless the server has made the record anew. What no id may be is none.
  mutating func learn(
    _ serverID: String, of subject: Subject, _ configuration: OutboxConfiguration, isAnew: Bool = false
  ) throws {
    guard serverID != subject.id, ServerRow.isValid(id: serverID) else { return }
    let known = try self.serverID(of: subject)
    guard known == nil || known == serverID || isAnew else { return }
    switch subject {
    case .entry:
      try keep(serverID, under: key("name", subject.key))
      try keep(subject.id, under: key("alias", KeptState.pair(subject.entity, serverID)))
    case .record(let key):
      if known != serverID, let record = try record(key) {
        try write(
          ServerWrite(key: key, isAlive: record.isAlive, fields: [:], serverID: serverID, milliseconds: 0))
      }
      try keepName(serverID, of: key, configuration)
    }
  }

  /// Keeps which record the server means by an id.
  mutating func keepAlias(_ serverID: String, of record: RecordKey) throws {
    try keep(
      record.id.description, under: key("alias", KeptState.pair(record.collection.text, serverID)))
  }

  /// Remembers a record whose row another one holds unsent changes of; nil forgets it.
  mutating func keepTwin(_ serverID: String?, of record: RecordKey) throws {
    try keep(serverID, under: key("twin", Subject.record(record).key))
  }

  /// The records that are remembered so, with the server's ids.
  func twins() throws -> [(key: RecordKey, serverID: String)] {
    var twins: [(RecordKey, String)] = []
    try forEachKept(in: "\(server)/twin") { bytes, text in
      guard case .record(let key)? = Subject(key: bytes) else { throw OutboxError.damagedState("twin") }
      twins.append((key, text))
      return true
    }
    return twins
  }

  /// Forgets what the server was known to hold under an id that was not a record's own.
  mutating func forgetShadow(of subject: Subject) throws { try keep(nil, under: key("shadow", subject.key)) }

  // MARK: Single things

  /// A number; one that nothing counts up to was written by somebody else, and counts as nothing.
  func number(_ name: String) throws -> Int64 {
    guard let number = try text(name).flatMap({ Int64($0) }), -1...Int64(1) << 56 ~= number else { return 0 }
    return number
  }

  mutating func keep(number: Int64, as name: String) throws { try keep(text: String(number), as: name) }

  func text(_ name: String) throws -> String? { try kept(key("state", Array(name.utf8))) }

  mutating func keep(text: String?, as name: String) throws {
    try keep(text, under: key("state", Array(name.utf8)))
  }

  // MARK: Frontier

  /// How far the writes that this device sends are in the lanes: its own, under every id that it ever had, and as a
  /// gateway those of everybody who is not a server's proxy.
  func frontier(_ configuration: OutboxConfiguration) throws -> Frontier {
    var frontier = try keptFrontier("frontier")
    frontier.know(replica)
    guard configuration.relays else { return frontier }
    let relayed = try keptFrontier("relayed")
    for origin in relayed.origins where !frontier.origins.contains(origin) {
      frontier[origin] = relayed[origin]
    }
    for origin in origins where !origin.isProxy { frontier.know(origin) }
    return frontier
  }

  /// Keeps a frontier; others' ids by themselves, since they are this device's only as long as it is a gateway.
  mutating func keep(frontier: Frontier) throws {
    let ids = try ownOrigins()
    var own = Frontier()
    var relayed = Frontier()
    for origin in frontier.origins {
      if ids.contains(origin) { own[origin] = frontier[origin] } else { relayed[origin] = frontier[origin] }
    }
    try keep(text: own.json.text(), as: "frontier")
    if !relayed.origins.isEmpty { try keep(text: relayed.json.text(), as: "relayed") }
  }

  /// The ids under which this device ever wrote.
  func ownOrigins() throws -> Set<ReplicaID> { Set(try keptFrontier("frontier").origins).union([replica]) }

  func keptFrontier(_ name: String) throws -> Frontier {
    try text(name).map { text in try Frontier(json: KeptState.parse(text)) } ?? Frontier()
  }
}

/// Helpers for what is kept.
enum KeptState {
  static func parse(_ text: String) throws(OutboxError) -> JSON {
    do {
      return try JSON(parsing: text)
    } catch {
      throw .damagedState("text")
    }
  }

  /// Two texts as one key, with a zero between them.
  static func pair(_ first: String, _ second: String) -> [UInt8] {
    withoutZeros(first) + [0] + withoutZeros(second)
  }

  /// The bytes of a text, in which a zero stands as a byte that UTF-8 never has.
  static func withoutZeros(_ text: String) -> [UInt8] { text.utf8.map { $0 == 0 ? 0xff : $0 } }

  /// The text of such bytes; nil where they are none.
  static func text(withoutZeros bytes: ArraySlice<UInt8>) -> String? {
    String(validating: bytes.map { $0 == 0xff ? 0 : $0 }, as: UTF8.self)
  }
}

extension Subject {
  /// The bytes under which things of the subject are kept: what it is, the name without zeros, a zero, the 16 bytes of
  /// the id.
  var key: [UInt8] {
    switch self {
    case .record(let key): Subject.key(UInt8(ascii: "r"), key.collection.text, key.id.bytes)
    case .entry(let key): Subject.key(UInt8(ascii: "e"), key.log.text, key.id.bytes)
    }
  }

  private static func key(_ kind: UInt8, _ name: String, _ id: [UInt8]) -> [UInt8] {
    var key = [kind]
    key.reserveCapacity(name.utf8.count + id.count + 2)
    // A name with a zero in it would begin with the prefix of another collection.
    key += KeptState.withoutZeros(name)
    key.append(0)
    key += id
    return key
  }

  /// The bytes with which the keys of a collection's records begin.
  static func keyPrefix(of collection: Collection) -> [UInt8] {
    key(UInt8(ascii: "r"), collection.text, [])
  }

  init?(key: [UInt8]) {
    guard key.count > 18, key[key.count - 17] == 0,
      let name = KeptState.text(withoutZeros: key[1..<key.count - 17])
    else { return nil }
    let id = key.suffix(16)
    switch key[0] {
    case UInt8(ascii: "r"):
      guard let id = RecordID(bytes: id) else { return nil }
      self = .record(RecordKey(Collection(name), id))
    case UInt8(ascii: "e"):
      guard let id = EntryID(bytes: id) else { return nil }
      self = .entry(EntryKey(LogName(name), id))
    default: return nil
    }
  }
}
