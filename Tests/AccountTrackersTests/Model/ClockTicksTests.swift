import AccountTrackers
import Synchronization
import Testing

/// Ticks come when the clock says so.
@Suite(.timeLimit(.minutes(10)))
struct ClockTicksTests {
  /// A clock on which every sleep is over at once, and says until when it was.
  private final class EagerClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let state = Mutex((now: Instant(offset: .zero), sleeps: [Duration]()))

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func pass(_ duration: Duration) {
      state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
      state.withLock {
        $0.sleeps.append(deadline.offset)
        $0.now = max($0.now, deadline)
      }
    }
  }

  @Test func `one tick comes for each interval, and none for those that passed unseen`() async {
    let clock = EagerClock()
    var ticks = ClockTicks(every: .seconds(1), on: clock).makeAsyncIterator()
    for _ in 0..<3 { _ = await ticks.next() }
    #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(3)])
    clock.pass(.milliseconds(4_500))
    for _ in 0..<2 { _ = await ticks.next() }
    #expect(clock.sleeps.suffix(2) == [.milliseconds(8_500), .milliseconds(9_500)])
  }

  @Test func `ticks end with the task`() async {
    let clock = EagerClock()
    let ticking = Task {
      for await _ in ClockTicks(every: .seconds(1), on: clock) { clock.pass(.seconds(1)) }
    }
    ticking.cancel()
    await ticking.value
    let cancelled = Task { await ClockTicksTests.next(ClockTicks(every: .seconds(3_600))) }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
  }

  private static func next(_ ticks: ClockTicks<ContinuousClock>) async -> Void? {
    var iterator = ticks.makeAsyncIterator()
    return await iterator.next()
  }
}
