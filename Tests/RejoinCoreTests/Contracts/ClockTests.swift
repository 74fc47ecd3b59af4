import RejoinCore
import TestSupport
import Testing

/// The hybrid clock by examples: what it has seen, what the wall says, what it issues.
struct ClockTests {
  @Test func `a write comes after what was issued and merged, and not before the wall`() {
    var clock = HybridClock(last: ClockStep.start)
    for step in ClockStep.all {
      clock.observe(step.merged)
      for write in step.writes {
        #expect(clock.tick(wallMilliseconds: write.wallMilliseconds) == write.time)
      }
    }
  }

  @Test func `a merge is no event with a time of its own`() {
    var clock = HybridClock(last: ClockStep.start)
    clock.observe(HybridTime(milliseconds: 12, counter: 4))
    #expect(clock.last == HybridTime(milliseconds: 12, counter: 4))
    clock.observe(ClockStep.start)
    #expect(clock.last == HybridTime(milliseconds: 12, counter: 4))
  }

  @Test func `seventy thousand writes in one millisecond increase strictly`() {
    var clock = HybridClock()
    var last = HybridTime.zero
    var isStrict = true
    for _ in 0..<70_000 {
      let time = clock.tick(wallMilliseconds: 10)
      isStrict = isStrict && time > last
      last = time
    }
    #expect(isStrict)
    #expect(last == HybridTime(milliseconds: 11, counter: UInt16(69_999 - 65_536)))
  }

  @Test func `a wall before the epoch or beyond all bounds is clamped`() {
    var clock = HybridClock()
    #expect(clock.tick(wallMilliseconds: .min) == HybridTime(rawValue: 1))
    #expect(clock.tick(wallMilliseconds: .max).milliseconds == Limits.wallMilliseconds)
    let bound = HybridClock.latestAcceptable(wallMilliseconds: .max, maxDriftMilliseconds: .max)
    #expect(bound.milliseconds == Limits.wallMilliseconds)
  }

  @Test func `any counter of the last acceptable millisecond is acceptable`() {
    let bound = HybridClock.latestAcceptable(wallMilliseconds: 100, maxDriftMilliseconds: 5)
    #expect(HybridTime(milliseconds: 105, counter: .max) <= bound)
    #expect(HybridTime(milliseconds: 106) > bound)
  }
}
