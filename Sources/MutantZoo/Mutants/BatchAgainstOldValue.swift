public import RejoinTesting

/// M10: a register that sends all writes; the mutant compares each write of a batch with the value before the batch.
///
/// The last write of the batch that is later than the old value then wins, and need not be the latest. Found in
/// crdt-example-app (client/sync.js), where it does not show because the server sorts every batch.
public struct BatchAgainstOldValue<Variant: Twin>: ReplicatedType, IntendedRegister, Hashable {
  /// A value, when and where it was set.
  public struct Write: Hashable, Sendable {
    let value: Int
    let time: Int
    let replica: Int

    func isLater(than other: Write?) -> Bool {
      guard let other else { return true }
      return (time, replica) > (other.time, other.replica)
    }
  }

  private let replica: Int
  private var current: Write?

  /// All writes, in the order in which they came here.
  private var writes: [Write] = []

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Writes later than anything seen: Lamport's clock.
  public mutating func apply(_ operation: RegisterOperation, clockMilliseconds: Int64) {
    guard case .set(let value) = operation else { return }
    let write = Write(value: value, time: (current?.time ?? 0) + 1, replica: replica)
    writes.append(write)
    current = write
  }

  /// All writes.
  public mutating func message(to receiver: Int) -> [Write]? { writes }

  /// Keeps the latest of the value here and those that arrive.
  public mutating func merge(_ batch: [Write], from sender: Int, clockMilliseconds: Int64) -> Bool {
    let old = current
    for write in batch {
      if write.isLater(than: Variant.isMutant ? old : current) { current = write }
      if !writes.contains(write) { writes.append(write) }
    }
    return true
  }

  /// Merges all writes.
  public func merging(stateOf other: BatchAgainstOldValue) -> BatchAgainstOldValue? {
    var merged = self
    _ = merged.merge(other.writes, from: other.replica, clockMilliseconds: 0)
    return merged
  }

  /// The value; 0 before there is any.
  public var observation: Int { current?.value ?? 0 }
}
