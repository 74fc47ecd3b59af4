import Foundation
import Synchronization

extension Process {
  private static let starting = Mutex(())

  /// Starts the process while no other is being started.
  ///
  /// On Linux `run()` looks at all open files and at shared tables of Foundation; two of them side by side have
  /// crashed there. Every test that starts a process does it through here.
  package func runAlone() throws {
    try Process.starting.withLock { (_: inout sending Void) throws(any Error) in try run() }
  }

  /// Starts the process and waits for its end, without keeping a thread busy.
  package func runToEnd() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      terminationHandler = { _ in continuation.resume() }
      do {
        try runAlone()
      } catch {
        terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
  }
}
