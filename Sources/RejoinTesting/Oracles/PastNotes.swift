import Synchronization

/// What a specification has worked out about the operations of a history, so that it need not do so after each of them.
///
/// It is no part of a past: two pasts of the same operations are equal, whatever was worked out about them.
final class PastNotes: Sendable, Hashable {
  private let slot = Mutex<(any Sendable)?>(nil)

  /// The notes that a specification keeps, made when it first asks.
  func value<Value: Sendable>(_ make: () -> Value) -> Value {
    slot.withLock { slot in
      if let value = slot as? Value { return value }
      let value = make()
      slot = value
      return value
    }
  }

  static func == (left: PastNotes, right: PastNotes) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
