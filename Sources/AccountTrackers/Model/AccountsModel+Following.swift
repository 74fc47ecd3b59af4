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
      lastError = words(for: error)
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
  /// - Complexity: O(n) in the number of records that changed and the trackers beside them; while deleted ones are shown,
  ///   as ``reload()``.
  func take(_ change: ChangeSet) {
    if case .write = change.cause { summary.sent = 0 }
    guard !mayTouchDeleted(change) else { return reload() }
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

  /// Whether what is shown of deleted accounts and trackers may change: nobody is told of that in detail.
  private func mayTouchDeleted(_ change: ChangeSet) -> Bool {
    switch deletionsShown {
    case .none: false
    case .pending: list.holdsDeleted || change.records.contains { $0.kind == .deleted }
    case .all: true
    }
  }

  /// Derives the cooldowns anew; once a minute also what is on its way, since that ages, too.
  func tick() {
    let now = book.replica.now
    list.move(to: now)
    if now >= summaryIsDueAt, summary.waiting > 0 { refreshSync() }
  }

  /// Asks anew of what the outbox still had something.
  private func refreshSync() {
    if list.holdsDeleted { return reload() }
    show(list.dirty)
    refreshSummary()
  }

  private func refreshSummary() {
    summaryIsDueAt = UnixTime(milliseconds: book.replica.now.milliseconds + 60_000)
    attempt { if let outbox = book.outbox { summary.take(try outbox.status()) } }
  }

  private func show(_ accounts: Set<RecordID>) {
    attempt {
      for id in accounts { list.put(try book.view(of: id), for: id) }
    }
  }
}
