@testable import AccountTrackers
import Rejoin
import Testing

/// A list knows where its trackers stand, in whatever order changes are shown.
struct AccountListTests {
  private func id(_ number: UInt64) -> RecordID { RecordID(high: 1, low: number) }

  private func view(_ number: UInt64, trackers: [UInt64]) -> AccountView {
    let now = UnixTime(milliseconds: 0)
    return AccountView(
      Account(id: id(number), email: "\(number)", createdAt: now, updatedAt: now),
      trackers: trackers.map { tracker in
        TrackerView(
          Tracker(id: id(tracker), account: id(number), providerSlug: "groq", cooldownDays: 1), at: now)
      }, offline: OfflineState())
  }

  @Test(arguments: [[1, 2], [2, 1]] as [[UInt64]])
  func `a tracker that moves stands under its new account alone`(order: [UInt64]) {
    var list = AccountList([view(1, trackers: [7]), view(2, trackers: [])])
    #expect(list.account(ofTracker: id(7)) == id(1))
    for number in order { list.put(view(number, trackers: number == 2 ? [7] : []), for: id(number)) }
    #expect(list.account(ofTracker: id(7)) == id(2))
    list.put(nil, for: id(2))
    #expect(list.account(ofTracker: id(7)) == nil)
    #expect(list.views.map(\.id) == [id(1)])
  }
}
