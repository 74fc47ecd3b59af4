/// A property type of a ``Record`` that starts as it is where nobody has written it.
protocol FieldOfOwnKind {
  init()
}

/// A number to which replicas add apart from each other: no increment is lost, and none counts twice.
///
/// As a property of a ``Record`` it shows the sum of all increments, and 0 where there are none.
///
/// ```swift
/// try replica.update(Page.self, id) { $0.visits.increment() }
/// ```
///
/// An update adds the difference to what the counter showed, whatever others add meanwhile; so does assigning another
/// counter, also 0: two replicas that assign it at once take away twice what it showed. ``reset()`` does not.
///
/// An insert begins with the counter's value; one under the id of a deleted record takes back what its author had seen,
/// and what others add meanwhile stands. Two replicas that insert one id begin with both their values: a total that
/// somebody else keeps, such as a server, is a plain number. Each opening of a replica keeps one register for each
/// counter that it changes, and a reset one more beside it. Within a list, a map or a nested type it is a whole number
/// like any other.
/// Source: Shapiro et al., *A comprehensive study of Convergent and Commutative Replicated Data Types* (2011),
/// specification 6 (PN-Counter), with sessions in place of replicas.
public struct Counter: Sendable {
  /// The sum; the largest or smallest number of 64 bits where it lies beyond.
  public private(set) var value: Int64

  /// Whether everything that was known was taken back since the counter was read.
  private(set) var isReset = false
  private var isOverflown = false

  /// Makes a counter that begins with a number.
  public init(_ value: Int64) {
    self.value = value
  }

  /// Adds to the counter.
  ///
  /// Leaving 64 bits is an error that whoever writes the record is told.
  public mutating func increment(by amount: Int64 = 1) {
    let (sum, overflow) = value.addingReportingOverflow(amount)
    if overflow { isOverflown = true } else { value = sum }
  }

  /// Takes back all increments that are known, so that the counter is 0.
  ///
  /// Increments that others make meanwhile stand, and two resets at once take back nothing twice.
  public mutating func reset() {
    (value, isReset, isOverflown) = (0, true, false)
  }

  /// Takes away from the counter.
  ///
  /// Leaving 64 bits is an error that whoever writes the record is told.
  public mutating func decrement(by amount: Int64 = 1) {
    let (difference, overflow) = value.subtractingReportingOverflow(amount)
    if overflow { isOverflown = true } else { value = difference }
  }

  /// The sum; an error when an increment has left 64 bits.
  func checkedValue(codingPath: [any CodingKey]) throws -> Int64 {
    guard isOverflown else { return value }
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: codingPath, debugDescription: "a counter has 64 bits with sign")
    )
  }
}

extension Counter: Hashable {
  /// Whether both show the same.
  public static func == (left: Counter, right: Counter) -> Bool { left.value == right.value }

  /// Hashes what it shows.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Counter: FieldOfOwnKind {
  /// Makes a counter that begins with 0.
  public init() { self.init(0) }
}

extension Counter: ExpressibleByIntegerLiteral {
  /// Makes a counter that begins with a number.
  public init(integerLiteral value: Int64) { self.init(value) }
}

extension Counter: CustomStringConvertible {
  /// The sum.
  public var description: String { String(value) }
}

extension Counter: Codable {
  /// Reads a whole number.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int64.self))
  }

  /// Writes a whole number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(try checkedValue(codingPath: encoder.codingPath))
  }
}
