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
  /// - Throws: `CancellationError` where the task that started it was cancelled, ``OutboxError``, and what the store
  ///   throws. What was acknowledged and fetched until then stays.
  @discardableResult
  public func exchange() async throws -> CycleReport {
    if let running { return try await running.value }
    let task = Task { [outbox, connection] in
      var cycle = outbox.cycle()
      while let request = try cycle.next() {
        try cycle.receive(try await connection.send(request))
      }
      return cycle.report
    }
    running = task
    defer { running = nil }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
