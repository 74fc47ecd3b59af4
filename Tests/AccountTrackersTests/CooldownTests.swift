import AccountTrackers
import Rejoin
import Testing

/// A cooldown is derived when it is read, whatever was written.
struct CooldownTests {
  private static let day: Int64 = 86_400_000

  private func tracker(days: Int, hit: Int64?) -> Tracker {
    Tracker(
      id: RecordID(high: 1, low: 1), account: RecordID(high: 1, low: 2), providerSlug: "groq",
      cooldownDays: days, lastLimitHitAt: hit.map { UnixTime(milliseconds: $0) })
  }

  @Test func `a tracker that was not hit has no cooldown`() {
    #expect(tracker(days: 7, hit: nil).cooldown(at: UnixTime(milliseconds: 0)) == nil)
  }

  @Test func `half way through, half remains`() throws {
    let cooldown = try #require(
      tracker(days: 2, hit: 1_000).cooldown(at: UnixTime(milliseconds: 1_000 + Self.day)))
    #expect(cooldown.isCooling)
    #expect(cooldown.restoreAt == UnixTime(milliseconds: 1_000 + 2 * Self.day))
    #expect(cooldown.remainingSeconds == 86_400)
    #expect(cooldown.progress == 50)
  }

  @Test func `a fraction of a second no longer cools`() throws {
    let cooldown = try #require(tracker(days: 1, hit: 0).cooldown(at: UnixTime(milliseconds: Self.day - 1)))
    #expect(cooldown.remainingSeconds == 0 && !cooldown.isCooling)
  }

  @Test func `once over it is over, and before the hit nothing has elapsed`() throws {
    let after = try #require(tracker(days: 1, hit: 0).cooldown(at: UnixTime(milliseconds: 9 * Self.day)))
    #expect(after.remainingSeconds == 0 && after.progress == 100)
    let before = try #require(tracker(days: 1, hit: Self.day).cooldown(at: UnixTime(milliseconds: 0)))
    #expect(before.progress == 0 && before.remainingSeconds == 2 * 86_400)
  }

  @Test func `no days are no cooldown`() throws {
    let cooldown = try #require(tracker(days: 0, hit: 5).cooldown(at: UnixTime(milliseconds: 5)))
    #expect(!cooldown.isCooling && cooldown.progress == 100)
  }

  @Test(arguments: [Int.min, -1, 9_007_199_254_740_991, Int.max])
  func `absurd numbers of days never trap`(days: Int) throws {
    for hit in [Int64.min, -1, 0, Int64.max] {
      for now in [Int64.min, 0, Int64.max] {
        let cooldown = try #require(tracker(days: days, hit: hit).cooldown(at: UnixTime(milliseconds: now)))
        #expect(cooldown.remainingSeconds >= 0 && 0...100 ~= cooldown.progress)
      }
    }
  }
}
