public import RejoinTesting

/// M4: a set with tombstones, which are collected as garbage now and then; the mutant collects all of them, the right
/// twin only those that every replica is known to have.
///
/// Found in Cassandra, whose tombstones go after some days: a replica that was away for longer brings back the dead.
public struct CollectedTooEarly<Variant: Twin>: StateBased, IntendedSet, Hashable {
  private struct Addition: Hashable, Sendable {
    var element: Int
    var replica: Int
    var number: Int
  }

  private struct Content: Hashable, Sendable {
    var standing: Set<Addition> = []

    /// The additions that were removed, each with the replicas that are known to know that.
    var tombstones: [Addition: Set<Int>] = [:]
  }

  private let replica: Int
  private var content = Content() {
    didSet { if content != oldValue { versions[replica] += 1 } }
  }

  /// How many changes of each replica's content have found their way here.
  private var versions: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    versions = Array(repeating: 0, count: count)
  }

  /// Adds or removes one of two elements, or collects garbage.
  public func operation(_ choices: inout Choices) -> SetOperation {
    choices.element(of: [.add(1), .remove(1), .collect, .add(2), .remove(2)])
  }

  /// Adds under a new name, buries all names that are known, or lets tombstones go.
  public mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    switch operation {
    case .add(let element):
      content.standing.insert(Addition(element: element, replica: replica, number: versions[replica]))
    case .remove(let element):
      for addition in content.standing where addition.element == element {
        content.tombstones[addition] = [replica]
      }
      content.standing = content.standing.filter { $0.element != element }
    case .collect:
      content.tombstones = content.tombstones.filter { tombstone in
        Variant.isMutant ? false : tombstone.value.count < versions.count
      }
    }
  }

  /// Takes over all additions without a tombstone, and all tombstones; ignores what the other replica said before
  /// something that is already known, since it may still hold what everybody has forgotten.
  public mutating func merge(_ other: CollectedTooEarly) {
    guard other.versions[other.replica] > versions[other.replica] else { return }
    versions = zip(versions, other.versions).map { max($0, $1) }
    var merged = content
    for (addition, holders) in other.content.tombstones {
      merged.tombstones[addition, default: [replica]].formUnion(holders)
    }
    merged.standing = merged.standing.union(other.content.standing)
      .filter { merged.tombstones[$0] == nil }
    content = merged
  }

  /// The elements, in order.
  public var observation: [Int] { Set(content.standing.map(\.element)).sorted() }
}
