import AccountTrackers
import Rejoin
import RejoinOutbox
import Testing

/// The status line says what is so.
struct SummaryTests {
  private func text(_ change: (inout SyncSummary) -> Void) -> String {
    var summary = SyncSummary(hasServer: true)
    change(&summary)
    return summary.text
  }

  @Test func `changes that wait are counted`() {
    #expect(text { $0.waiting = 3 } == "3 changes waiting")
    #expect(text { $0.waiting = 1 } == "1 change waiting")
  }

  @Test func `what was sent and what needs a person are told together`() {
    #expect(
      text {
        $0.sent = 12
        $0.needsAttention = 1
      } == "12 sent, 1 needs your attention")
    #expect(text { $0.needsAttention = 2 } == "2 need your attention")
  }

  @Test func `synced is only what was synced`() {
    #expect(text { _ in } == "nothing to send")
    #expect(text { $0.lastSyncedAt = UnixTime(milliseconds: 5) } == "synced")
    #expect(
      text {
        $0.lastSyncedAt = UnixTime(milliseconds: 5)
        $0.waiting = 1
      } == "1 change waiting")
    #expect(SyncSummary(hasServer: false).text == "kept on this device")
  }

  @Test(arguments: [
    (StopReason.unreachable, "the server cannot be reached"), (.busy(status: 503), "the server is busy"),
    (.signedOut, "sign in again to go on"), (.upgradeRequired, "update the app to go on"),
    (.foreignAnswer(status: 200), "something else answered for the server"),
    (.waiting(milliseconds: 5), "the server is busy"),
  ])
  func `why an exchange stopped is told in plain words`(reason: StopReason, words: String) {
    #expect(
      text {
        $0.waiting = 2
        $0.stopped = reason
      } == "2 changes waiting, \(words)")
  }

  @Test func `an exchange under way is told`() {
    #expect(
      text {
        $0.isExchanging = true
        $0.waiting = 2
      } == "syncing, 2 changes waiting")
  }
}
