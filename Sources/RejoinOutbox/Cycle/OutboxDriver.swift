/// Drives the exchanges of an outbox: one at a time, whoever asks.
///
/// A call while one runs joins it. Should something that was written before the call have come too late for it, all that
/// joined share one more.
public actor OutboxDriver {
  /// What is exchanged.
  public nonisolated let outbox: Outbox
  private let connection: any ServerConnection
  private var running: Running?
  private var callers: [Int: Caller] = [:]
  private var lastCaller = 0

  /// The exchange that is under way.
  private struct Running {
    let task: Task<Void, Never>
    /// Whether nobody waited for it any more.
    var isCancelled = false
  }

  /// Somebody who waits for an exchange.
  private struct Caller {
    let continuation: CheckedContinuation<CycleReport, any Error>
    let ignoresWaits: Bool
    /// Whether the exchange was under way when the call came.
    var hasJoined: Bool
  }

  /// What became of an exchange.
  private struct Outcome {
    var report: CycleReport
    /// How far what was written went into it.
    var taken: Frontier
    var ignoredWaits: Bool
  }

  /// Makes a driver; nothing happens until it is asked.
  public init(_ outbox: Outbox, over connection: some ServerConnection) {
    self.outbox = outbox
    self.connection = connection
  }

  /// Pushes what is waiting, and pulls what is new.
  ///
  /// What was written before the call has been tried when it returns, unless the exchange stopped early.
  ///
  /// A server that was busy is left alone for a while, as long as it wished at least: an exchange before that makes no
  /// request, and reports ``StopReason/waiting(milliseconds:)``. The same holds for single entries that the server put
  /// off.
  ///
  /// Where the task that calls is cancelled, the call ends, and the exchange goes on for others that wait for it; it is
  /// cancelled once nobody does.
  ///
  /// - Parameter ignoringWaits: whether those waits are ignored. For a person who asks for an exchange and expects one,
  ///   not for timers: a server that has to answer everybody while it is busy stays so.
  /// - Returns: what was done by the exchange that this call began, or by the last that it joined.
  /// - Throws: `CancellationError` where the task that calls was cancelled, ``OutboxError``, and what the store and the
  ///   connection throw. What was acknowledged and fetched until then stays.
  @discardableResult
  public func exchange(ignoringWaits: Bool = false) async throws -> CycleReport {
    try Task.checkCancellation()
    lastCaller += 1
    let number = lastCaller
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        callers[number] = Caller(
          continuation: continuation, ignoresWaits: ignoringWaits, hasJoined: running != nil)
        if running == nil { begin() }
      }
    } onCancel: {
      Task { await self.leave(number) }
    }
  }

  /// How many calls wait for an exchange, for those who test when they end.
  package var waitingCalls: Int { callers.count }

  /// Begins an exchange for everybody who waits.
  private func begin() {
    for number in callers.keys { callers[number]?.hasJoined = false }
    let ignoresWaits = callers.values.contains(where: \.ignoresWaits)
    running = Running(
      task: Task {
        end(await OutboxDriver.run(outbox, over: connection, ignoringWaits: ignoresWaits))
      })
  }

  /// Makes an exchange, beside the actor, so that calls are taken meanwhile.
  @concurrent
  private static func run(
    _ outbox: Outbox, over connection: any ServerConnection, ignoringWaits: Bool
  ) async -> Result<Outcome, any Error> {
    var cycle = outbox.cycle(ignoringWaits: ignoringWaits)
    do {
      while let request = try cycle.next() {
        try Task.checkCancellation()
        try cycle.receive(try await connection.send(request))
      }
      return .success(Outcome(report: cycle.report, taken: cycle.taken, ignoredWaits: ignoringWaits))
    } catch {
      cycle.abandon()
      return .failure(error)
    }
  }

  /// Tells everybody what became of the exchange, but for those who need another one.
  private func end(_ outcome: Result<Outcome, any Error>) {
    let isOver = running?.isCancelled == false
    running = nil
    for (number, caller) in callers where !caller.hasJoined || isOver && serves(outcome, caller) {
      callers[number] = nil
      caller.continuation.resume(with: outcome.map(\.report))
    }
    if !callers.isEmpty { begin() }
  }

  /// Whether the exchange that a caller joined did what the caller asks for.
  private func serves(_ outcome: Result<Outcome, any Error>, _ caller: Caller) -> Bool {
    guard case .success(let done) = outcome else { return true }
    // One that only waits is not what was asked for.
    if caller.ignoresWaits, case .waiting = done.report.push.stopped { return false }
    guard done.report.push.stopped == nil, done.report.pull.stopped == nil else { return true }
    let mayBePutOff = caller.ignoresWaits && !done.ignoredWaits
    // Should the store fail, the next exchange says so.
    return (try? !outbox.hasUntried(since: done.taken, ignoringWaits: mayBePutOff)) ?? false
  }

  /// Lets a caller go whose task was cancelled.
  private func leave(_ number: Int) {
    guard let caller = callers.removeValue(forKey: number) else { return }
    caller.continuation.resume(throwing: CancellationError())
    guard callers.isEmpty else { return }
    running?.isCancelled = true
    running?.task.cancel()
  }
}
