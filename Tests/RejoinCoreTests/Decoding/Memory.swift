import Allocations

/// What reading bytes from outside may take.
enum Memory {
  /// Whether allocations are counted on this system.
  static let isCounted = rejoin_allocations_are_counted()

  /// The most that `body` held at one time, in bytes; 0 where allocations are not counted.
  static func peak(_ body: () -> Void) -> Int {
    rejoin_allocations_begin()
    body()
    return Int(rejoin_allocations_peak())
  }

  /// The bound of `Delta(decoding:)`, in bytes.
  static func bound(ofDecoding count: Int) -> Int { (64 << 10) + 16 * count }
}
