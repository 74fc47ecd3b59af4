public import RejoinTesting

/// M16: a register whose values carry a logical time; the mutant stamps all of them with 0.
///
/// A replica that holds a value then takes no other one of the same writer, and of another one only if that happens to
/// be greater. Found in sphere-sdk (issue 356), which relied on values never changing.
public struct ConstantStamp<Variant: Twin>: StateBased, IntendedRegister, Hashable {
  private struct Stamped: Hashable, Sendable {
    var value: Int
    var time: Int
    var writer: Int
  }

  private let replica: Int
  private var stamped: Stamped?

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Writes later than anything seen: Lamport's clock.
  public mutating func apply(_ operation: RegisterOperation, clockMilliseconds: Int64) {
    guard case .set(let value) = operation else { return }
    let time = Variant.isMutant ? 0 : (stamped?.time ?? 0) + 1
    stamped = Stamped(value: value, time: time, writer: replica)
  }

  /// Keeps the later one; of two at one time, that of the larger replica.
  public mutating func merge(_ other: ConstantStamp) {
    guard let theirs = other.stamped else { return }
    if let mine = stamped, (mine.time, mine.writer) >= (theirs.time, theirs.writer) { return }
    stamped = theirs
  }

  /// The value; 0 before there is any.
  public var observation: Int { stamped?.value ?? 0 }
}
