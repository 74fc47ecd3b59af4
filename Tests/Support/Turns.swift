import Synchronization

/// Lets few tasks at once do something; the others wait for their turn without keeping a thread busy.
package final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// Lets `count` tasks in at once.
  package init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Does `body` when it is this task's turn.
  ///
  /// It has to do without another turn of the same kind.
  package func take<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free == 0 {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
    defer { give() }
    return try await body()
  }

  private func give() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
