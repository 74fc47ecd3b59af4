import AccountTrackers
import Observation
import Rejoin
import RejoinOutbox
import Synchronization
import TestSupport

/// Waits until something observable is so; nothing but a change of it wakes the wait.
@MainActor
func until(_ isSo: @MainActor () -> Bool) async {
  while true {
    let gate = AsyncStream.makeStream(of: Void.self)
    let isSoNow = withObservationTracking(isSo) { gate.continuation.finish() }
    if isSoNow { return }
    for await _ in gate.stream {}
  }
}

/// A server by hand behind a lock, for exchanges that run anywhere.
final class SharedServer: Sendable {
  private let server = Mutex(HandServer())
  let outbox: Outbox?

  init(_ outbox: Outbox?) {
    self.outbox = outbox
  }

  /// Changes the server.
  func change(_ body: (inout HandServer) -> Void) {
    server.withLock { body(&$0) }
  }

  /// Drives an exchange to its end.
  func exchange() throws -> CycleReport {
    try server.withLock { try $0.exchange(outbox) }
  }
}
