/// How long to wait before something is tried again: a random time up to a bound that doubles.
///
/// Source: document 004; the random part keeps devices apart that all failed at once.
enum BackOff {
  /// The bound of the first wait, in milliseconds.
  static let base: Int64 = 1_000
  /// The largest bound, in milliseconds.
  static let longest: Int64 = 60_000
  /// The longest time that a server's wish is obeyed, in milliseconds.
  static let longestMilliseconds: Int64 = 3_600_000

  /// How long to wait after so many attempts, in milliseconds.
  static func wait(attempts: Int, randomBits: UInt64) -> Int64 {
    let bound = min(longest, base << Int64(min(max(attempts, 0), 16)))
    return Int64(randomBits % UInt64(bound + 1))
  }
}
