import RejoinCore

/// How the workloads of the comparison are stored in replicas: a set as a log, a map as fields of records.
enum StoredForm {
  /// The log whose entries are the elements of the set.
  static let log: LogName = "elements"

  /// The collection of the records, one a node, whose fields are the keys of the map.
  static let collection: Collection = "keys"

  /// What a key holds: the published experiment cares only for when it was written.
  static let value: Value = ""

  /// When the simulated time starts, in milliseconds since the Unix epoch.
  static let epoch = 1_700_000_000_000

  /// The names of a node's keys, in order.
  static let fields = (0..<Plan.keysPerNode).map { FieldName("k\($0)") }

  /// The record of a node's keys.
  static func record(of node: Int) -> RecordID { RecordID(high: UInt64(node), low: 0) }

  /// The element that an update adds to the set: the node's number and the update's, as in the published experiment.
  static func element(of update: Plan.Update) -> ValueMap {
    ["element": .string("\(update.node)#\(update.ordinal)")]
  }

  /// The fields that an update of a node writes.
  static func fields(_ keys: [Int], of node: Int) -> [FieldName: Value] {
    let first = Plan.keys(of: node).lowerBound
    return Dictionary(keys.map { (fields[$0 - first], value) }, uniquingKeysWith: { $1 })
  }

  /// The time of an update as its replica's clock stamps it.
  static func time(of update: Plan.Update) -> HybridTime {
    HybridTime(milliseconds: Int64(epoch + update.time))
  }
}
