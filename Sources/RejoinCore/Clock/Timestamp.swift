/// When and by whom something was written: a hybrid time and the replica that issued it.
///
/// One total order, time first and then replica, is used by merge, watermarks and paging alike. All writes of
/// one transaction share one timestamp, and no replica issues one twice, so it also serves as the write's dot.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// When it was issued.
  public var time: HybridTime

  /// Who issued it.
  public var replica: ReplicaID

  /// Makes a timestamp.
  public init(time: HybridTime, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// Whether `left` comes before `right`: by time, then by replica.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.time == right.time ? left.replica < right.replica : left.time < right.time
  }
}

extension Timestamp: CustomStringConvertible, LosslessStringConvertible {
  /// The textual form: time and replica, 16 hexadecimal digits each, with a hyphen between.
  public var description: String { "\(time)-\(replica)" }

  /// Reads the textual form; nil when it is anything else.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let time = HybridTime(String(parts[0])), let replica = ReplicaID(String(parts[1]))
    else { return nil }
    self.init(time: time, replica: replica)
  }
}
