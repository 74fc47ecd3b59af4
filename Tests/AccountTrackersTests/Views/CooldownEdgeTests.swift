import AccountTrackers
import Rejoin
import Testing
import TestSupport

/// A view's cooldown is derived from what is stored and the replica's clock, to the second.
struct CooldownEdgeTests {
  private static let day: Int64 = 86_400_000

  @Test(arguments: StoreKind.allCases)
  func `the cooldown ends at the exact second`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      try book.startCooldown(trackers[0])
      func view() throws -> TrackerView { try #require(try book.accounts().first?.trackers.first) }
      #expect(try view().status == .cooling && view().remainingSeconds == 172_800 && view().progress == 0)
      #expect(try view().restoreAt == UnixTime(milliseconds: FixtureEnvironment.start + 2 * Self.day))
      stores.clock.advance(milliseconds: 1)
      #expect(try view().remainingSeconds == 172_799)
      stores.clock.advance(milliseconds: Self.day / 2 - 1)
      #expect(try view().progress == 25)
      stores.clock.advance(milliseconds: 3 * Self.day / 2 - 1_000)
      #expect(try view().status == .cooling && view().remainingSeconds == 1)
      stores.clock.advance(milliseconds: 1)
      #expect(try view().status == .ready && view().remainingSeconds == 0 && view().progress < 100)
      stores.clock.advance(milliseconds: 999)
      #expect(try view().status == .ready && view().progress == 100)
      try book.clear(trackers[0])
      #expect(try view().status == .ready && view().progress == 0 && view().restoreAt == nil)
    }
  }

  @Test(arguments: [
    // Noon before the clocks of Europe, then of the United States, go forward and back, in UTC.
    1_774_612_800_000, 1_792_756_800_000, 1_772_884_800_000, 1_793_448_000_000,
  ])
  func `days have 86,400 seconds, whatever clocks on walls do`(noon: Int64) throws {
    try withStores(.memory) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      try book.startCooldown(trackers[0], hit: UnixTime(milliseconds: noon))
      let tracker = try #require(try book.replica.get(Tracker.self, trackers[0]))
      let view = TrackerView(tracker, at: UnixTime(milliseconds: noon + Self.day))
      #expect(view.restoreAt == UnixTime(milliseconds: noon + 2 * 86_400_000))
      #expect(view.remainingSeconds == 86_400 && view.progress == 50)
    }
  }
}
