import RejoinCore

/// The wall clock as one call reads it.
struct Moment {
  /// Milliseconds since the Unix epoch.
  let wallMilliseconds: Int64

  /// What is stamped later is from the future.
  let latestAcceptable: HybridTime

  init(wallMilliseconds: Int64, maxDriftMilliseconds: Int64) {
    self.wallMilliseconds = wallMilliseconds
    latestAcceptable = HybridClock.latestAcceptable(
      wallMilliseconds: wallMilliseconds, maxDriftMilliseconds: maxDriftMilliseconds)
  }
}

/// The registers whose time has come, and which nobody was told of yet.
struct DueRegisters: ~Copyable {
  /// When they were looked for.
  let moment: Moment

  /// They, earliest first.
  let waiting: [WaitingRegister]

  /// A clock that has passed them: what is written from here on comes after what shows.
  func moving(_ clock: HybridClock) -> HybridClock {
    var clock = clock
    if let last = waiting.last { clock.observe(last.timestamp.time) }
    return clock
  }
}
