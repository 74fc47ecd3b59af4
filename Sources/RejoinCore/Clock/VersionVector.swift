/// How much of every replica's history is known: replica → the time up to which all its writes are covered.
///
/// Join is the pointwise maximum. Vectors of replicas are causally closed: whoever covers a write covers
/// everything its writer had seen. Look-up costs O(log n) in the number of replicas ever seen.
/// Source: Parker et al., *Detection of Mutual Inconsistency in Distributed Systems* (1983).
public struct VersionVector: Lattice, Hashable {
  /// One replica's part of a vector.
  public struct Entry: Hashable, Sendable {
    /// The replica whose writes are covered.
    public let replica: ReplicaID

    /// The time up to which they are covered.
    public fileprivate(set) var time: HybridTime
  }

  /// The entries, in ascending order of replica; no time is zero.
  public private(set) var entries: [Entry] = []

  /// The latest of all times; zero when nothing is covered.
  public private(set) var latest = HybridTime.zero

  /// Makes an empty vector, which covers nothing.
  public init() {}

  /// Makes a vector of pairs; of several for one replica the latest counts.
  public init(_ pairs: some Sequence<(ReplicaID, HybridTime)>) {
    for (replica, time) in pairs { advance(replica, to: time) }
  }

  /// Whether nothing is covered.
  public var isEmpty: Bool { entries.isEmpty }

  /// The time up to which `replica` is covered; zero when nothing of it is.
  public subscript(replica: ReplicaID) -> HybridTime {
    let index = position(of: replica)
    return index < entries.count && entries[index].replica == replica ? entries[index].time : .zero
  }

  /// Covers `replica` up to `time`, where it was not yet.
  public mutating func advance(_ replica: ReplicaID, to time: HybridTime) {
    guard time > .zero else { return }
    latest = max(latest, time)
    let index = position(of: replica)
    if index < entries.count && entries[index].replica == replica {
      entries[index].time = max(entries[index].time, time)
    } else {
      entries.insert(Entry(replica: replica, time: time), at: index)
    }
  }

  /// Whether the write with this timestamp is covered.
  public func covers(_ timestamp: Timestamp) -> Bool { timestamp.time <= self[timestamp.replica] }

  /// Whether everything that `other` covers is covered here too.
  public func covers(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { $0.time <= self[$0.replica] }
  }

  /// The entries of `other` that reach further than this vector does.
  public func missing(from other: VersionVector) -> [Entry] {
    other.entries.filter { $0.time > self[$0.replica] }
  }

  /// Covers what either vector covers.
  public mutating func merge(_ other: VersionVector) {
    for entry in other.entries { advance(entry.replica, to: entry.time) }
  }

  /// Where `replica` stands or would stand.
  private func position(of replica: ReplicaID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension VersionVector: CustomStringConvertible {
  /// The entries as `replica:time`, separated by commas.
  public var description: String {
    entries.map { "\($0.replica):\($0.time)" }.joined(separator: ",")
  }
}
