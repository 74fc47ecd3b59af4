import Rejoin
import RejoinCore

/// The server's ids of records that other devices made: they travel with the records.
///
/// A server need not repeat the id that a device gave a record. Whoever fetches the row before having heard of the record
/// then knows it under an id that was derived from the server's, and has two records for one row once both have met.
extension ServerTransaction {
  /// Learns which ids the server gave records, from what others heard; costs what they heard since the last time.
  mutating func learnHeardNames(_ configuration: OutboxConfiguration) throws {
    let before = try keptFrontier("named")
    var named = before
    for origin in origins
    where origin.isProxy && origin != proxyID && time(of: origin) > before[origin] {
      var isDone = true
      for key in try changes(by: origin, after: before[origin]).records
      where configuration.includes(.record(key)) {
        if try !learnHeardName(of: key) { isDone = false }
      }
      if isDone { named[origin] = time(of: origin) }
    }
    if named != before { try keep(text: named.json.text(), as: "named") }
  }

  /// - Returns: false where that has to wait.
  private mutating func learnHeardName(of key: RecordKey) throws -> Bool {
    guard let name = try serverID(of: .record(key)), try aliased(name, in: key.collection.text) == nil else {
      return true
    }
    guard try endTwin(of: key, named: name) else { return false }
    try keepAlias(name, of: key)
    return true
  }

  /// Makes one record of two that are one row: the one that somebody made stays.
  ///
  /// - Returns: false while the other one holds unsent changes, which go out first.
  @discardableResult
  mutating func endTwin(of key: RecordKey, named name: String) throws -> Bool {
    let twin = RecordKey(key.collection, .derived(from: name, in: key.collection.text))
    guard twin != key else { return true }
    guard try lane(of: .record(twin)) == nil else { return false }
    try redirect(from: twin, to: key)
    guard let shadow = try lastShadow(of: .record(twin)) else { return true }
    if try lastShadow(of: .record(key)) == nil { try keep(shadow, of: .record(key)) }
    try forgetShadow(of: .record(twin))
    if try record(twin)?.isAlive == true {
      try write(ServerWrite(key: twin, isAlive: false, fields: [:], milliseconds: 0))
    }
    return true
  }
}
