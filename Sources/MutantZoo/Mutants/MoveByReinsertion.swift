public import RejoinTesting

/// M15: a list whose items may be moved to the top; the mutant deletes an item and inserts it anew.
///
/// Of two replicas that move one item at the same time each deletes the old one and inserts a new one, and then there
/// are two. Described by Kleppmann, *Moving Elements in List CRDTs* (2020), for all list types that know only insertion
/// and deletion.
public struct MoveByReinsertion<Variant: Twin>: OperationBased, Hashable {
  /// What users do.
  public enum Operation: Hashable, Sendable {
    /// Moves an item to the top.
    case raise(Int)
  }

  /// Where in the list: greater places are nearer to the top.
  struct Place: Hashable, Comparable, Sendable {
    var height: Int
    var replica: Int

    static func < (one: Place, other: Place) -> Bool {
      (one.height, one.replica) < (other.height, other.replica)
    }
  }

  private struct Entry: Hashable, Sendable {
    var item: Int
    var place: Place
  }

  /// An item moves.
  public struct Effect: Hashable, Sendable {
    let item: Int
    let old: [Place]
    let new: Place
  }

  private let replica: Int

  /// Two items, which all replicas begin with.
  private var entries = [1, 2].map { Entry(item: $0, place: Place(height: -$0, replica: 0)) }

  /// A replica with both items.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Moves one of the items.
  public func operation(_ choices: inout Choices) -> Operation { .raise(1 + choices.number(below: 2)) }

  /// The place above all others.
  public func prepare(_ operation: Operation, clockMilliseconds: Int64) -> Effect {
    let item =
      switch operation {
      case .raise(let item): item
      }
    let top = entries.map(\.place.height).max() ?? 0
    return Effect(
      item: item, old: entries.filter { $0.item == item }.map(\.place),
      new: Place(height: top + 1, replica: replica))
  }

  /// Gives the item its new place, unless it has a higher one: the last writer wins.
  public mutating func perform(_ effect: Effect) {
    if Variant.isMutant {
      entries.removeAll { $0.item == effect.item && effect.old.contains($0.place) }
      entries.append(Entry(item: effect.item, place: effect.new))
    } else {
      for index in entries.indices where entries[index].item == effect.item {
        entries[index].place = max(entries[index].place, effect.new)
      }
    }
  }

  /// The items from the top.
  public var observation: [Int] { entries.sorted { $0.place > $1.place }.map(\.item) }

  /// What a list would hold.
  public static func expected(after operations: [Operation]) -> [Int]? {
    operations.reduce([1, 2]) { items, operation in
      switch operation {
      case .raise(let item): [item] + items.filter { $0 != item }
      }
    }
  }

  /// Every item is there once, and one of the last to be moved is at the top.
  public static func objection(to observation: [Int], after past: Past<Operation>) -> String? {
    guard observation.sorted() == [1, 2] else { return "the items are 1 and 2" }
    let latest = past.latest { _ in true }.map(\.operation)
    return latest.isEmpty || latest.contains(.raise(observation[0])) ? nil : "the latest moves are \(latest)"
  }
}
