/// Parts of a delta in the columns in which they came, checked as a whole.
package protocol DeltaColumns: Sequence, Sendable where Element: Equatable & Sendable {
  /// How many parts there are.
  var count: Int { get }
}

/// The parts of a delta, in order: those that a sender made, or the columns in which they came.
///
/// Columns stay as they came, since parts take many times as much memory: every record has its own copy of its
/// field names. Whoever iterates over them makes one part after the other.
package struct DeltaParts<Columns: DeltaColumns>: Sequence, Sendable {
  private enum Backing: Sendable {
    case made([Columns.Element])
    case encoded(Columns)
  }

  private let backing: Backing

  /// Keeps parts that are in order.
  init(_ parts: [Columns.Element]) {
    backing = .made(parts)
  }

  /// Keeps columns, unless they are empty.
  init(_ columns: Columns?) {
    backing = columns.map { .encoded($0) } ?? .made([])
  }

  /// How many there are.
  package var count: Int {
    switch backing {
    case .made(let parts): parts.count
    case .encoded(let columns): columns.count
    }
  }

  /// Whether there are none.
  package var isEmpty: Bool { count == 0 }

  /// How many there are, so that an array of them has room at once.
  package var underestimatedCount: Int { count }

  /// Starts with the first part.
  package func makeIterator() -> Iterator {
    switch backing {
    case .made(let parts): Iterator(made: parts.makeIterator())
    case .encoded(let columns): Iterator(encoded: columns.makeIterator())
    }
  }

  /// Gives out one part after the other.
  package struct Iterator: IteratorProtocol {
    fileprivate var made: [Columns.Element].Iterator?
    fileprivate var encoded: Columns.Iterator?

    /// The next part; nil after the last.
    package mutating func next() -> Columns.Element? { made?.next() ?? encoded?.next() }
  }
}

extension DeltaParts: Equatable {
  /// Whether both hold equal parts, however they are kept.
  package static func == (left: DeltaParts, right: DeltaParts) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }
}
