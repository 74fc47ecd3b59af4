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

  /// How much of a server's wish is obeyed, in milliseconds.
  static func wish(_ milliseconds: Int64?) -> Int64 { min(max(milliseconds ?? 0, 0), longestMilliseconds) }

  /// Whether a due time has come.
  ///
  /// One further away than any that was ever set belongs to a wall clock that has stepped back.
  static func isOver(_ due: Int64, at wallMilliseconds: Int64) -> Bool {
    due <= wallMilliseconds || due > wallMilliseconds + longestMilliseconds
  }
}
