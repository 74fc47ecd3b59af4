/// The changes of a replica, from the moment it was made; each is told once, in order of commit.
///
/// Changes wait in memory until they are taken: whoever stops taking them should let go of the stream.
public struct ChangeStream: AsyncSequence, Sendable {
  /// What is told.
  public typealias Element = ChangeSet

  private let stream: AsyncStream<ChangeSet>

  init(_ stream: AsyncStream<ChangeSet>) {
    self.stream = stream
  }

  /// Starts to take changes.
  public func makeAsyncIterator() -> AsyncStream<ChangeSet>.Iterator { stream.makeAsyncIterator() }
}

/// Who observes a replica.
struct ObserverList {
  private var continuations: [Int: AsyncStream<ChangeSet>.Continuation] = [:]
  private var next = 0

  /// Adds an observer; `onEnd` is called with its number when it lets go.
  mutating func add(onEnd: @escaping @Sendable (Int) -> Void) -> ChangeStream {
    let (stream, continuation) = AsyncStream.makeStream(of: ChangeSet.self)
    let number = next
    next += 1
    continuations[number] = continuation
    continuation.onTermination = { _ in onEnd(number) }
    return ChangeStream(stream)
  }

  /// Removes an observer.
  mutating func remove(_ number: Int) {
    continuations[number] = nil
  }

  /// Tells all observers.
  func tell(_ changes: ChangeSet) {
    guard !changes.isEmpty else { return }
    for continuation in continuations.values { continuation.yield(changes) }
  }
}
