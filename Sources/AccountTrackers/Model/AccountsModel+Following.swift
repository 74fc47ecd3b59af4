import Rejoin
import RejoinOutbox

extension AccountsModel {
  /// Follows the replica until the task is cancelled: shows what changes, and derives the cooldowns anew at each tick.
  ///
  /// In SwiftUI: `.task { await model.run(ticks: ClockTicks(every: .seconds(1))) }`. Ticks that end leave the last
  /// cooldowns standing.
  public func run<Ticks: AsyncSequence & Sendable>(ticks: Ticks) async where Ticks.Failure == Never {
    let changes = book.replica.changes()
    reload()
    async let following: Void = follow(changes)
    async let ticking: Void = follow(ticks)
    _ = await (following, ticking)
  }

  private func follow(_ changes: EventStream<ChangeSet>) async {
    for await change in changes { take(change) }
  }

  private func follow<Ticks: AsyncSequence & Sendable>(_ ticks: Ticks) async where Ticks.Failure == Never {
    for await _ in ticks { tick() }
  }

  /// Exchanges with the server, and shows what became of it; without a server it does nothing.
  ///
  /// A second call while one runs joins it where the exchange does, as that of an `OutboxDriver`.
  public func exchange() async {
    guard let exchangeOnce else { return }
    exchangesUnderWay += 1
    do {
      let report = try await exchangeOnce()
      summary.take(report, at: book.replica.now)
    } catch is CancellationError {
      // Whoever cancelled knows; what was sent until then shows below.
    } catch {
      lastError = AccountsModel.words(for: error)
    }
    exchangesUnderWay -= 1
    refreshSync()
  }

  /// Reads everything anew.
  ///
  /// - Complexity: O(n log n) in the number of accounts and trackers.
  public func reload() {
    attempt {
      list = AccountList(try book.views(deleted: deletionsShown))
      list.move(to: book.replica.now)
    }
    refreshSummary()
  }

  // MARK: One step each

  /// Shows what changed.
  ///
  /// - Complexity: O(n) in the number of records that changed and the trackers beside them; where all deleted ones are
  ///   shown, as ``reload()``.
  func take(_ change: ChangeSet) {
    if case .write = change.cause { summary.sent = 0 }
    guard deletionsShown != .all else { return reload() }
    var accounts: Set<RecordID> = []
    attempt {
      for record in change.records {
        switch record.key.collection {
        case Account.collection: accounts.insert(record.key.id)
        case Tracker.collection:
          if let account = list.account(ofTracker: record.key.id) { accounts.insert(account) }
          let fields = try book.replica.fields(of: record.key.id, in: Tracker.collection)
          if case .record(let account)? = fields?["accountId"] { accounts.insert(account) }
        default: break
        }
      }
    }
    show(accounts)
    refreshSummary()
  }

  /// Derives the cooldowns anew; once a minute also what is on its way, since that ages, too.
  func tick() {
    let now = book.replica.now
    list.move(to: now)
    if now >= summaryIsDueAt, summary.waiting > 0 { refreshSync() }
  }

  /// Asks anew of what the outbox still had something.
  private func refreshSync() {
    guard deletionsShown != .all else { return reload() }
    show(list.dirty)
    refreshSummary()
  }

  private func refreshSummary() {
    summaryIsDueAt = UnixTime(milliseconds: book.replica.now.milliseconds + 60_000)
    attempt { if let outbox = book.outbox { summary.take(try outbox.status()) } }
  }

  private func show(_ accounts: Set<RecordID>) {
    attempt {
      for id in accounts { list.put(try view(of: id), for: id) }
    }
  }

  /// An account as it is shown now; what was deleted as it was shown last, since nobody is told of what is written
  /// beneath a deletion.
  private func view(of id: RecordID) throws -> AccountView? {
    let current = try book.view(of: id)
    guard deletionsShown == .pending, let shown = list[id] else { return current }
    let known = Set(current?.trackers.map(\.id) ?? [])
    let gone = try shown.trackers.compactMap { view -> TrackerView? in
      guard !known.contains(view.id), try book.replica.fields(of: view.id, in: Tracker.collection) == nil
      else {
        return nil
      }
      let sync = try book.sync(of: view.id, in: Tracker.collection)
      let state = OfflineState(tombstoned: true, sync: sync)
      guard current == nil || deletionsShown.shows(state) else { return nil }
      return TrackerView(view.tracker, offline: state, at: book.replica.now)
    }
    if let current {
      return AccountView(current.account, trackers: current.trackers + gone, offline: current.offline)
    }
    let state = OfflineState(tombstoned: true, sync: try book.sync(of: id, in: Account.collection))
    guard deletionsShown.shows(state) else { return nil }
    return AccountView(shown.account, trackers: gone, offline: state)
  }
}
