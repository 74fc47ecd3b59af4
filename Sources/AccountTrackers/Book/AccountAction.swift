public import Rejoin

/// What a user does to accounts and trackers.
///
/// The raw value is the label of the transaction, which an outbox sends as the intent, and the name in the activity log.
public enum AccountAction: String, CaseIterable, Sendable {
  /// Adds an account with its trackers.
  case addAccount
  /// Changes what an account says.
  case editAccount
  /// Deletes an account; its trackers disappear with it.
  case deleteAccount
  /// Brings a deleted account back, with its trackers.
  case restoreAccount
  /// Says that a limit was hit.
  case startCooldown
  /// Says when the limit was hit instead.
  case editCooldown
  /// Says that the limit was hit again while it cools.
  case restart
  /// Says that the limit is not hit.
  case clear

  /// The label of the action's transaction.
  public var label: String { rawValue }
}

/// An entry of the activity log: one action of a user.
///
/// It names records and times, and none of their other values: what is in a log can never be taken back.
public struct Activity: Hashable, Sendable, Identifiable {
  /// "activity".
  public static let log: LogName = "activity"

  /// The entry's id.
  public var id: EntryID

  /// What was done; nil for an action of a newer version of the application.
  public var action: AccountAction?

  /// The account that it was done to, or whose tracker it was done to.
  public var account: RecordID?

  /// The tracker that it was done to; nil where it was the account.
  public var tracker: RecordID?

  /// When the limit was hit, where the action says so.
  public var hitAt: UnixTime?

  /// When it was done, by the clock of the device.
  public var at: UnixTime?
}

extension Activity {
  /// What an entry of the log holds.
  static func values(
    _ action: AccountAction, account: RecordID, tracker: RecordID? = nil, hitAt: UnixTime? = nil, at: UnixTime
  ) -> ValueMap {
    var entries: [(String, Value)] = [
      ("action", .string(action.rawValue)), ("account", .record(account)), ("at", .time(at.milliseconds)),
    ]
    if let tracker { entries.append(("tracker", .record(tracker))) }
    if let hitAt { entries.append(("hitAt", .time(hitAt.milliseconds))) }
    return ValueMap(entries)
  }

  /// Reads an entry; what it lacks is nil.
  init(id: EntryID, values: ValueMap) {
    self.id = id
    if case .string(let name)? = values["action"] { action = AccountAction(rawValue: name) }
    if case .record(let id)? = values["account"] { account = id }
    if case .record(let id)? = values["tracker"] { tracker = id }
    if case .time(let milliseconds)? = values["hitAt"] { hitAt = UnixTime(milliseconds: milliseconds) }
    if case .time(let milliseconds)? = values["at"] { at = UnixTime(milliseconds: milliseconds) }
  }
}
