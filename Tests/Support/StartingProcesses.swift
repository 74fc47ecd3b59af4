import Foundation
import Synchronization

extension Process {
  private static let starting = Mutex(())

  /// Starts the process while no other is being started.
  ///
  /// Every test that starts a process does it through here.
  package func runAlone() throws {
    try Process.starting.withLock { (_: inout sending Void) throws(any Error) in try run() }
  }

  /// The turns of the tests that run a program to its end.
  ///
  /// On Linux `run()` lists the open files of the process, and reads beyond the end of the list where there are more
  /// than some 1,300 of them, which crashes. Tests that run programs would otherwise wait all at the same time,
  /// each with open files. Whoever gives a process a file closes it afterwards: Foundation does not.
  package static let turns = Turns(8)

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
