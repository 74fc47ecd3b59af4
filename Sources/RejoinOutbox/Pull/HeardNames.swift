import Rejoin
import RejoinCore

/// The server's ids of records that other devices made: they travel with the records.
///
/// A server need not repeat the id that a device gave a record. Whoever fetches the row before having heard of the record
/// then knows it under an id that was derived from the server's, and has two records for one row once both have met.
extension ServerTransaction {
  /// Learns which ids the server gave records, from what others heard; costs what they heard since the last time.
  mutating func learnHeardNames(_ configuration: OutboxConfiguration) throws {
    for key in try takeHeard("named", configuration) {
      guard let name = try serverID(of: .record(key)), try aliased(name, in: key.collection.text) == nil
      else { continue }
      try keepName(name, of: key, configuration)
    }
  }

  /// Keeps which record the server means by an id, and makes one record of two that are this row: the one that somebody
  /// made stays.
  ///
  /// Where the other one holds unsent changes, those go out first, and both stay for now.
  mutating func keepName(_ name: String, of key: RecordKey, _ configuration: OutboxConfiguration) throws {
    let twin = RecordKey(key.collection, .derived(from: name, in: key.collection.text))
    guard twin != key, try aliased(name, in: key.collection.text) != key.id.description else { return }
    guard try lane(of: .record(twin)) == nil else { return try keepTwin(name, of: key) }
    try keepAlias(name, of: key)
    try redirect(from: twin, to: key)
    guard let shadow = try lastShadow(of: .record(twin)) else { return }
    try forgetShadow(of: .record(twin))
    if try record(twin)?.isAlive == true {
      try write(ServerWrite(key: twin, isAlive: false, fields: [:], milliseconds: 0))
    }
    guard try lastShadow(of: .record(key)) == nil else { return }
    var row = try row(of: .record(key), shadow)
    row.id = name
    try takeOrQuarantine([row], configuration)
  }

  /// Ends the records whose unsent changes have gone out by now.
  mutating func endTwins(_ configuration: OutboxConfiguration) throws {
    for (key, name) in try twins() {
      try keepTwin(nil, of: key)
      try keepName(name, of: key, configuration)
    }
  }
}
