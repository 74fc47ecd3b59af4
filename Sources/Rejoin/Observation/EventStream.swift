/// What a replica tells, from the moment the stream was made; each event once, in order of commit.
///
/// Events wait in memory until they are taken: whoever stops taking them should let go of the stream.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
  private let stream: AsyncStream<Element>

  init(_ stream: AsyncStream<Element>) {
    self.stream = stream
  }

  /// Starts to take events.
  public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}

/// Who listens to one kind of event.
struct ObserverList<Event: Sendable> {
  private var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
  private var next = 0

  /// Whether nobody listens.
  var isEmpty: Bool { continuations.isEmpty }

  /// Adds an observer; `onEnd` is called with its number when it lets go.
  mutating func add(onEnd: @escaping @Sendable (Int) -> Void) -> EventStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    let number = next
    next += 1
    continuations[number] = continuation
    continuation.onTermination = { _ in onEnd(number) }
    return EventStream(stream)
  }

  /// Removes an observer.
  mutating func remove(_ number: Int) {
    continuations[number] = nil
  }

  /// Tells all observers.
  func tell(_ event: Event) {
    for continuation in continuations.values { continuation.yield(event) }
  }
}
