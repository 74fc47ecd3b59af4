import Allocations
import Foundation

/// What reading bytes from outside takes on this thread.
struct Cost {
  /// Whether allocations are counted on this system.
  static let countsAllocations = rejoin_allocations_are_counted()

  /// The most bytes that were held at one time; 0 where allocations are not counted.
  let peakBytes: Int

  /// The time of the processor, in milliseconds: unlike the wall clock it stands while others run.
  let milliseconds: Double

  /// Runs `body` and measures it.
  init(of body: () throws -> Void) rethrows {
    let start = Cost.threadMilliseconds()
    rejoin_allocations_begin()
    try body()
    peakBytes = Int(rejoin_allocations_peak())
    milliseconds = Cost.threadMilliseconds() - start
  }

  /// The bound of `Delta(decoding:)`, in bytes.
  static func bound(ofDecoding count: Int) -> Int { (64 << 10) + 16 * count }

  private static func threadMilliseconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
