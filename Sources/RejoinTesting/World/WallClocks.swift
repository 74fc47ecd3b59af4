/// The clocks of all replicas: they differ, jump, stop and tick coarsely.
struct WallClocks: Hashable, Sendable {
  private struct Clock: Hashable, Sendable {
    var offset: Int64 = 0
    var granularity: Int64 = 1
    var stoppedAt: Int64?
  }

  /// Later than any clock is ever set back.
  private static let start: Int64 = 1_000_000
  private var now = Self.start
  private var clocks: [Clock]

  /// By how much any clock has ever been ahead.
  private var greatestOffset: Int64 = 0

  init(count: Int) {
    clocks = Array(repeating: Clock(), count: count)
  }

  /// How much time has passed.
  var elapsedMilliseconds: Int64 { now - Self.start }

  /// What a replica's clock shows, in milliseconds.
  func reading(of replica: Int) -> Int64 {
    let clock = clocks[replica]
    return clock.stoppedAt ?? (now + clock.offset) / clock.granularity * clock.granularity
  }

  /// By how much a replica's clock is ahead.
  func offset(of replica: Int) -> Int64 { clocks[replica].offset }

  mutating func wait(milliseconds: Int64) { now += milliseconds }

  mutating func set(_ replica: Int, byMilliseconds amount: Int64) {
    clocks[replica].offset = max(clocks[replica].offset + amount, -now)
    greatestOffset = max(greatestOffset, clocks[replica].offset)
    if clocks[replica].stoppedAt != nil { clocks[replica].stoppedAt = now + clocks[replica].offset }
  }

  mutating func toggle(_ replica: Int) {
    clocks[replica].stoppedAt = clocks[replica].stoppedAt == nil ? reading(of: replica) : nil
  }

  mutating func coarsen(_ replica: Int, milliseconds: Int64) { clocks[replica].granularity = milliseconds }

  /// Every clock goes, and shows what it should: a time after all that any of them has ever shown, so that nothing
  /// that was written is from the future any more.
  mutating func repair() {
    now += greatestOffset + 1_000
    greatestOffset = 0
    for index in clocks.indices { clocks[index] = Clock() }
  }
}
