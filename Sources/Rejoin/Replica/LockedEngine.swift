import RejoinCore
import Synchronization

/// An engine behind a lock.
///
/// The compiler cannot see that nothing of the engine leaves with a closure or its result: engines are internal,
/// and the one thing that user code gets to see of them, a `WriteTransaction`, can be neither copied nor kept.
/// That is why the check is switched off for this one property, which only ``withLock(_:)`` touches.
final class LockedEngine: Sendable {
  private let lock = Mutex(())
  private nonisolated(unsafe) var engine: Engine

  init(_ engine: sending Engine) {
    unsafe self.engine = engine
  }

  /// Runs `body` with the engine, alone.
  func withLock<Result>(_ body: (inout Engine) throws -> Result) rethrows -> Result {
    var result: Result?
    try lock.withLock { _ in
      result = try unsafe body(&engine)
    }
    guard let result else { preconditionFailure("the lock ran the body") }
    return result
  }
}

extension Replica {
  /// Runs `body` with the engine, alone.
  func withEngine<Result>(_ body: (inout Engine) throws -> Result) rethrows -> Result {
    try engine.withLock(body)
  }

  /// Runs `body` with the engine, over one state of the store.
  func reading<Result>(_ body: (inout Engine) throws -> Result) throws -> Result {
    try engine.withLock { try $0.reading(body) }
  }
}
