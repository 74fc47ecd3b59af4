/// Ticks of a clock: one each time that an interval has passed, until the task is cancelled.
///
/// Ticks that nobody took in time are left out.
public struct ClockTicks<C: Clock>: AsyncSequence, Sendable where C.Duration: Sendable {
  private let interval: C.Duration
  private let clock: C

  /// Ticks of a clock.
  public init(every interval: C.Duration, on clock: C) {
    self.interval = interval
    self.clock = clock
  }

  /// Starts to tick.
  public func makeAsyncIterator() -> Iterator { Iterator(next: clock.now, interval: interval, clock: clock) }

  /// Waits for one tick after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var next: C.Instant
    fileprivate let interval: C.Duration
    fileprivate let clock: C

    /// The next tick; nil once the task is cancelled.
    public mutating func next() async -> Void? { await next(isolation: #isolation) }

    /// The next tick; nil once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Void? {
      next = Swift.max(next, clock.now).advanced(by: interval)
      do { try await clock.sleep(until: next, tolerance: nil) } catch { return nil }
      return ()
    }
  }
}

extension ClockTicks where C == ContinuousClock {
  /// Ticks of the system's clock.
  public init(every interval: Duration) {
    self.init(every: interval, on: ContinuousClock())
  }
}
