import AccountTrackers
import Rejoin

/// What the three devices do while they are apart: every kind of conflict that records can have.
struct DemoStory {
  /// A step that the demo prints before it converges.
  typealias Line = String

  /// How many accounts with plain addresses the story speaks of.
  static let accountsNeeded = 4

  /// How many trackers it edits.
  static let trackersNeeded = 40

  private let clock: DemoClock
  private let accounts: [Account]
  private let trackers: [Tracker]

  init(clock: DemoClock, export: AccountExport) {
    self.clock = clock
    accounts = DemoStory.plain(export.accounts)
    trackers = export.trackers
  }

  /// Accounts whose addresses read well in a terminal: letters, digits, dots and one at sign.
  static func plain(_ accounts: [Account]) -> [Account] {
    accounts.filter { account in
      let parts = account.email.split(separator: "@", omittingEmptySubsequences: false)
      return account.nickname != nil && parts.count == 2 && account.email.utf8.count <= 32
        && account.email.utf8.allSatisfy {
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            || [UInt8(ascii: "."), UInt8(ascii: "@")].contains($0)
        }
    }
  }

  /// Runs the story; the three members have imported and not met yet.
  func run(_ phone: Replica, _ tablet: Replica, _ laptop: Replica) throws -> [Line] {
    var lines: [Line] = []
    func step(_ line: Line, _ body: () throws -> Void) throws {
      try body()
      clock.advance(milliseconds: 1_000)
      lines.append(line)
    }
    let (first, second, third, fourth) = (accounts[0], accounts[1], accounts[2], accounts[3])
    try step("phone   calls \(first.email) \"Work\"") {
      try phone.update(Account.self, first.id) { $0.nickname = "Work" }
    }
    try step("tablet  calls \(first.email) \"Office\"") {
      try tablet.update(Account.self, first.id) { $0.nickname = "Office" }
    }
    try step("phone   changes the e-mail of \(second.email)") {
      try phone.update(Account.self, second.id) { $0.email = "new-\(second.email)" }
    }
    try step("laptop  changes the nickname of \(second.email)") {
      try laptop.update(Account.self, second.id) { $0.nickname = "Second" }
    }
    try step("phone   deletes \(third.email)") { try phone.delete(Account.self, third.id) }
    try step("laptop  edits \(third.email), not knowing") {
      try laptop.update(Account.self, third.id) { $0.nickname = "Still here" }
    }
    try step("tablet  deletes \(fourth.email), then restores it") {
      try tablet.delete(Account.self, fourth.id)
      try tablet.restore(Account.self, fourth.id)
    }
    try step("laptop  clears the nickname of \(fourth.email)") {
      try laptop.update(Account.self, fourth.id) { $0.nickname = nil }
    }
    try editTrackers(phone, tablet, laptop)
    lines.append("all     hit, clear and edit 60 cooldowns and write each into the activity log")
    return lines
  }

  private func editTrackers(_ phone: Replica, _ tablet: Replica, _ laptop: Replica) throws {
    for round in 0..<60 {
      let replica = [phone, tablet, laptop][Int(clock.randomBits() % 3)]
      // A tracker whose account was deleted here is hidden with it; the next one takes its place.
      let start = Int(clock.randomBits() % UInt64(DemoStory.trackersNeeded))
      guard
        let tracker = try trackers[start...].first(where: { try replica.get(Tracker.self, $0.id) != nil })
      else { continue }
      let now = UnixTime(milliseconds: clock.milliseconds)
      try replica.write("Cooldown") { transaction in
        try transaction.update(Tracker.self, tracker.id) { tracker in
          switch round % 3 {
          case 0: tracker.lastLimitHitAt = now
          case 1: tracker.lastLimitHitAt = nil
          default: tracker.cooldownDays = round
          }
        }
        try transaction.append(
          ["tracker": .record(tracker.id), "action": .int(Int64(round % 3))], to: "activity")
      }
      clock.advance(milliseconds: 250)
    }
  }
}
