package import RejoinCore

/// A time that is merged, and the times that writes at given walls then get: one long example for every clock.
package struct ClockStep: Sendable {
  /// What is merged before the writes.
  package let merged: HybridTime
  /// The walls at which something is written, with the times that the writes get.
  package let writes: [(wallMilliseconds: Int64, time: HybridTime)]

  /// Where the clock stands before the first step.
  package static let start = HybridTime(milliseconds: 10, counter: 5)

  /// The steps, one after the other.
  package static let all = [
    ClockStep(merged: time(10, 7), writes: [(9, time(10, 8))]),
    ClockStep(merged: time(8, 99), writes: [(9, time(10, 9))]),
    ClockStep(merged: time(12, 4), writes: [(9, time(12, 5))]),
    ClockStep(merged: time(12, 9), writes: [(20, time(20, 0))]),
    ClockStep(
      merged: time(20, 3),
      writes: [(20, time(20, 4)), (20, time(20, 5)), (19, time(20, 6)), (21, time(21, 0))]),
  ]

  private static func time(_ milliseconds: Int64, _ counter: UInt16) -> HybridTime {
    HybridTime(milliseconds: milliseconds, counter: counter)
  }
}
