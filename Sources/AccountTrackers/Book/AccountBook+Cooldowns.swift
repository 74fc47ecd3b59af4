public import Rejoin

extension AccountBook {
  /// Says that a limit was hit: the tracker cools down from then on.
  ///
  /// - Parameters:
  ///   - tracker: the tracker's id.
  ///   - hit: when; now unless given.
  /// - Throws: ``AccountError/trackerNotFound(_:)``, ``AccountError/trackerWithoutAccount(tracker:account:)``,
  ///   `ReplicaError.upgradeRequired`, and what the store throws.
  public func startCooldown(_ tracker: RecordID, hit: UnixTime? = nil) throws {
    let now = replica.now
    try act(.startCooldown, on: tracker, hit: hit ?? now, at: now)
  }

  /// Says when the limit was hit, instead of what was said before.
  ///
  /// - Throws: as ``startCooldown(_:hit:)``.
  public func editCooldown(_ tracker: RecordID, hit: UnixTime) throws {
    try act(.editCooldown, on: tracker, hit: hit, at: replica.now)
  }

  /// Says that the limit was hit again, now, while the tracker cools down.
  ///
  /// - Throws: ``AccountError/notCooling(_:)``, and as ``startCooldown(_:hit:)``.
  public func restart(_ tracker: RecordID) throws {
    let now = replica.now
    try act(.restart, on: tracker, hit: now, at: now) { current throws(AccountError) in
      guard current.status(at: now) == .cooling else { throw .notCooling(tracker) }
    }
  }

  /// Says that the limit is not hit: the tracker is ready.
  ///
  /// - Throws: as ``startCooldown(_:hit:)``.
  public func clear(_ tracker: RecordID) throws {
    try act(.clear, on: tracker, hit: nil, at: replica.now)
  }

  private func act(
    _ action: AccountAction, on id: RecordID, hit: UnixTime?, at now: UnixTime,
    unless check: (Tracker) throws(AccountError) -> Void = { _ throws(AccountError) in }
  ) throws {
    try replica.write(action.label) { transaction in
      do {
        if let tracker = try transaction.get(Tracker.self, id) { try check(tracker) }
        var account: RecordID?
        try transaction.update(Tracker.self, id) { tracker in
          account = tracker.account
          tracker.lastLimitHitAt = hit
        }
        guard let account else { return }
        try transaction.append(
          Activity.values(action, account: account, tracker: id, hitAt: hit, at: now), to: Activity.log)
      } catch ReplicaError.recordNotVisible(_) {
        throw AccountError.trackerNotFound(id)
      } catch ReplicaError.parentNotVisible(_, let parent) {
        throw AccountError.trackerWithoutAccount(tracker: id, account: parent.id)
      }
    }
  }
}
