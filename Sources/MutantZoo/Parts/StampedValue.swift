/// A value with the time and the writer by which it wins or loses.
struct StampedValue: Hashable, Sendable {
  var value = 0
  var time: Int64 = 0
  var writer = 0

  /// Keeps the later one; of two at one time, that of the larger replica.
  mutating func merge(_ other: StampedValue) {
    if (other.time, other.writer) > (time, writer) { self = other }
  }
}
