public import RejoinTesting

/// M6: a row of two fields, each of which is won by its last writer; in the mutant the last writer wins the whole row,
/// and takes away what somebody else wrote into the other field meanwhile.
///
/// Found wherever a service keeps one time stamp a record, such as in waves (pull request 924). All replicas agree.
public struct WholeRowWins<Variant: Twin>: StateBased, Hashable {
  /// A new value for a field.
  public enum Operation: Hashable, Sendable {
    case set(field: Int, to: Int)

    fileprivate var field: Int {
      switch self {
      case .set(let field, _): field
      }
    }

    fileprivate var value: Int {
      switch self {
      case .set(_, let value): value
      }
    }
  }

  private struct Cell: Hashable, Sendable {
    var value = 0
    var time = 0
    var writer = 0

    func isLater(than other: Cell) -> Bool { (time, writer) > (other.time, other.writer) }
  }

  private let replica: Int
  private var cells = [Cell(), Cell()]

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Sets one of two fields to one of two values.
  public func operation(_ choices: inout Choices) -> Operation {
    .set(field: choices.number(below: 2), to: 1 + choices.number(below: 2))
  }

  /// Writes later than anything seen: Lamport's clock.
  public mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    guard case .set(let field, let value) = operation else { return }
    cells[field] = Cell(value: value, time: latest.time + 1, writer: replica)
  }

  /// Keeps the later cell of each field.
  public mutating func merge(_ other: WholeRowWins) {
    if Variant.isMutant {
      if other.latest.isLater(than: latest) { cells = other.cells }
    } else {
      cells = zip(cells, other.cells).map { $1.isLater(than: $0) ? $1 : $0 }
    }
  }

  private var latest: Cell { cells[1].isLater(than: cells[0]) ? cells[1] : cells[0] }

  /// The values of both fields.
  public var observation: [Int] { cells.map(\.value) }

  /// The last value of each field; 0 before there is any.
  public static func expected(after operations: [Operation]) -> [Int]? {
    var values = [0, 0]
    for case .set(let field, let value) in operations { values[field] = value }
    return values
  }

  /// Each field may only show what nobody overwrote knowingly.
  public static func objection(to observation: [Int], after past: Past<Operation>) -> String? {
    for (field, shown) in observation.enumerated() {
      let latest = past.latest { $0.field == field }.map(\.operation.value)
      if !latest.isEmpty, !latest.contains(shown) {
        return "the latest values of field \(field) are \(latest)"
      }
    }
    return nil
  }
}
