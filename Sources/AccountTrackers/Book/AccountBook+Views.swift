import Rejoin
import RejoinOutbox

extension AccountBook {
  /// The accounts with their trackers, by e-mail address, as they are shown now.
  ///
  /// Records that do not decode are left out; `Replica.all` tells them.
  ///
  /// - Complexity: O(n log n) in the number of accounts and trackers.
  /// - Throws: what the store throws.
  public func accounts(deleted: DeletionsShown = .none) throws -> [AccountView] {
    AccountList(try views(deleted: deleted)).views
  }

  /// The accounts, in no order and without marks.
  func views(deleted: DeletionsShown) throws -> [AccountView] {
    let now = replica.now
    let accounts = try replica.all(Account.self, includingDeleted: deleted != .none)
    let trackers = try replica.all(Tracker.self, includingDeleted: deleted != .none)
    // Where nothing is on its way, nobody need be asked one by one.
    let isSynced = try outbox?.status().isSynced ?? true
    func offline(_ id: RecordID, _ collection: Collection, _ presence: Presence?) throws -> OfflineState {
      OfflineState(
        tombstoned: presence != nil, sync: isSynced ? .synced : try sync(of: id, in: collection))
    }
    var trackersByAccount: [RecordID: [TrackerView]] = [:]
    for tracker in trackers {
      let presence = trackers.hidden[tracker.id]
      let state = try offline(tracker.id, Tracker.collection, presence)
      guard presence != .deleted || deleted.shows(state) else { continue }
      trackersByAccount[tracker.account, default: []].append(TrackerView(tracker, offline: state, at: now))
    }
    return try accounts.compactMap { account in
      let state = try offline(account.id, Account.collection, accounts.hidden[account.id])
      guard deleted.shows(state) else { return nil }
      return AccountView(account, trackers: trackersByAccount[account.id] ?? [], offline: state)
    }
  }

  /// One account with its trackers, without marks; nil when it is not visible, or does not decode.
  ///
  /// - Complexity: O(n) in the number of its trackers.
  func view(of id: RecordID) throws -> AccountView? {
    let now = replica.now
    let account: Account?
    do { account = try replica.get(Account.self, id) } catch ReplicaError.undecodable { account = nil }
    guard let account else { return nil }
    let trackers = try replica.all(Tracker.self, where: .equals(Tracker.CodingKeys.account, id))
    return AccountView(
      account,
      trackers: try trackers.map { tracker in
        let sync = try sync(of: tracker.id, in: Tracker.collection)
        return TrackerView(tracker, offline: OfflineState(sync: sync), at: now)
      }, offline: OfflineState(sync: try sync(of: id, in: Account.collection)))
  }

  /// What the outbox says of a record.
  func sync(of id: RecordID, in collection: Collection) throws -> SyncState {
    try outbox?.state(of: id, in: collection) ?? .synced
  }
}

extension DeletionsShown {
  /// Whether an account or tracker is shown.
  func shows(_ state: OfflineState) -> Bool {
    guard state.tombstoned else { return true }
    return switch self {
    case .none: false
    case .pending: state.dirty
    case .all: true
    }
  }
}
