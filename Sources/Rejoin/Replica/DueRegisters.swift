import RejoinCore

/// The wall clock as one call reads it.
struct Moment {
  /// Milliseconds since the Unix epoch.
  let wallMilliseconds: Int64

  /// What is stamped later is from the future.
  ///
  /// What has come due once never is again, also when the wall clock steps back: it had its time.
  let latestAcceptable: HybridTime

  init(wallMilliseconds: Int64, maxDriftMilliseconds: Int64, lastDue: HybridTime) {
    self.wallMilliseconds = wallMilliseconds
    let bound = HybridClock.latestAcceptable(
      wallMilliseconds: wallMilliseconds, maxDriftMilliseconds: maxDriftMilliseconds)
    latestAcceptable = max(bound, lastDue)
  }
}

/// What the passing of time has brought: registers that nobody was told of yet, and a clock past all that is due.
struct DueRegisters: ~Copyable {
  /// When they were looked for.
  let moment: Moment

  /// The registers, earliest first.
  let waiting: [WaitingRegister]

  /// The clock, past everything stored that is no longer from the future, also lives and log entries: what is
  /// written from here on comes after what shows.
  let clock: HybridClock
}

extension Engine {
  /// Looks for what has come due.
  func due() throws -> DueRegisters {
    let moment = moment()
    var clock = clock
    if vector.latest > clock.last {
      for entry in vector.entries where entry.time > self.clock.last {
        clock.observe(try store.latestTime(of: entry.replica, notAfter: moment.latestAcceptable))
      }
    }
    return DueRegisters(
      moment: moment, waiting: try store.waiting(notAfter: moment.latestAcceptable), clock: clock)
  }
}
