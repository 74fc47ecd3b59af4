import Synchronization

/// What was read of a replica, for as long as it is certain to be the same.
///
/// Most messages of a day bring nothing new; reading everything for each of them would take most of the time.
final class Memo: Sendable {
  /// When something was read.
  struct Key: Hashable {
    var commits: Int
    var wallMilliseconds: Int64
  }

  struct Contents {
    fileprivate var key: Key?
    fileprivate var uses = 0
    var trace: ReplicaTrace?
    var content: Content?
  }

  /// After so many uses it is read anew in any case: a store that changes without a commit should not escape.
  private static let mostUses = 64

  private let contents = Mutex(Contents())

  /// What is remembered, or else what `read` returns; without a key nothing is remembered.
  func value<Value: Sendable>(
    _ place: any WritableKeyPath<Contents, Value?> & Sendable, key: Key?, _ read: () throws -> Value
  ) throws -> Value {
    guard let key else { return try read() }
    let remembered = contents.withLock { contents in
      // What waits shows when its time has come.
      let isWaiting =
        contents.trace?.isWaiting != false && contents.key?.wallMilliseconds != key.wallMilliseconds
      if contents.key?.commits != key.commits || isWaiting || contents.uses >= Self.mostUses {
        contents = Contents(key: key)
      }
      contents.uses += 1
      return contents[keyPath: place]
    }
    if let remembered { return remembered }
    let value = try read()
    contents.withLock { $0[keyPath: place] = value }
    return value
  }
}
