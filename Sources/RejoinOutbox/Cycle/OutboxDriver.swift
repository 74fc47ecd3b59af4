/// Drives the exchanges of an outbox: one at a time, whoever asks.
///
/// A second call while one runs joins it and gets its report.
public actor OutboxDriver {
  /// What is exchanged.
  public nonisolated let outbox: Outbox
  private let connection: any ServerConnection
  private var running: Task<CycleReport, any Error>?

  /// Makes a driver; nothing happens until it is asked.
  public init(_ outbox: Outbox, over connection: some ServerConnection) {
    self.outbox = outbox
    self.connection = connection
  }

  /// Pushes what is waiting, and pulls what is new.
  ///
  /// A server that was busy is left alone for a while, as long as it wished at least: an exchange before that makes no
  /// request, and reports ``StopReason/waiting(milliseconds:)``. The same holds for single entries that the server put
  /// off.
  ///
  /// - Parameter ignoringWaits: whether those waits are ignored. For a person who asks for an exchange and expects one,
  ///   not for timers: a server that has to answer everybody while it is busy stays so.
  /// - Returns: what was done, by this call or by the exchange that it joined.
  /// - Throws: `CancellationError` where the task that started it was cancelled, ``OutboxError``, and what the store
  ///   throws. What was acknowledged and fetched until then stays.
  @discardableResult
  public func exchange(ignoringWaits: Bool = false) async throws -> CycleReport {
    while let running {
      let report = try await running.value
      if self.running == running { self.running = nil }
      // One that only waits is not what was asked for.
      guard ignoringWaits, case .waiting = report.push.stopped else { return report }
    }
    let task = Task { [outbox, connection] in
      var cycle = outbox.cycle(ignoringWaits: ignoringWaits)
      while let request = try cycle.next() {
        try cycle.receive(try await connection.send(request))
      }
      return cycle.report
    }
    running = task
    defer { if running == task { running = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
