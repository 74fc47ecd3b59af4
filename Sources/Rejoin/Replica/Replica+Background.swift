public import RejoinCore

extension Replica {
  /// Runs a transaction off the calling actor, so that a main thread never waits for the disk; see `write`.
  @concurrent
  @discardableResult
  public func backgroundWrite<Result: Sendable>(
    _ label: String? = nil, _ body: @Sendable (inout WriteTransaction) throws -> Result
  ) async throws -> Result {
    try write(label, body)
  }

  /// Merges a delta off the calling actor; see ``merge(_:)``.
  @concurrent
  @discardableResult
  public func backgroundMerge(_ delta: Delta) async throws -> MergeReport {
    try merge(delta)
  }
}
