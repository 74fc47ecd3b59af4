public import Rejoin

/// An account with its trackers as it is shown at a point in time.
public struct AccountView: Hashable, Sendable, Identifiable {
  /// The account.
  public let account: Account

  /// Its trackers, by provider.
  public private(set) var trackers: [TrackerView]

  /// How it stands to the server.
  public let offline: OfflineState

  /// Whether another account has the same e-mail address, letter case and blanks around it aside.
  ///
  /// The same account may have been added on two devices. Deleted accounts are nobody's doubles.
  public internal(set) var isPossibleDouble = false

  /// Where it stands in a list.
  let place: Place

  /// Puts an account together with its trackers.
  init(_ account: Account, trackers: [TrackerView], offline: OfflineState) {
    self.account = account
    self.trackers = trackers.sorted { $0.comes(before: $1) }
    self.offline = offline
    place = Place(account)
  }

  /// The account's id.
  public var id: RecordID { account.id }

  /// Whether the outbox still has something of the account or of one of its trackers.
  var holdsDirty: Bool { offline.dirty || trackers.contains { $0.offline.dirty } }

  /// Whether the account or one of its trackers was deleted.
  var holdsDeleted: Bool { offline.tombstoned || trackers.contains { $0.offline.tombstoned } }

  /// Whether one of its trackers cools down.
  var holdsCooling: Bool { trackers.contains { $0.status == .cooling } }

  /// Derives its cooldowns anew.
  mutating func move(to now: UnixTime) {
    trackers = trackers.map { $0.at(now) }
  }

  /// The order of accounts in a list: by e-mail address, whatever its letter case, then by id.
  struct Place: Hashable, Comparable {
    /// What possible doubles have in common.
    let email: String
    let id: RecordID

    init(_ account: Account) {
      let blanksBefore = account.email.drop { $0.isWhitespace }
      let end = blanksBefore.lastIndex { !$0.isWhitespace }.map { blanksBefore.index(after: $0) }
      email = blanksBefore[..<(end ?? blanksBefore.startIndex)].lowercased()
      id = account.id
    }

    static func < (left: Place, right: Place) -> Bool {
      (left.email, left.id) < (right.email, right.id)
    }
  }
}
