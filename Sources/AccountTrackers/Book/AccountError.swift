public import Rejoin

/// Why an action on accounts and trackers was refused; nothing was written.
@nonexhaustive
public enum AccountError: Error, Hashable, Sendable {
  /// There is no such account here, or it was deleted.
  case accountNotFound(RecordID)

  /// The account is there, so there is nothing to restore.
  case accountNotDeleted(RecordID)

  /// There is no such tracker here, or it was deleted.
  case trackerNotFound(RecordID)

  /// The tracker's account was deleted, and the tracker with it, or has not arrived here yet.
  case trackerWithoutAccount(tracker: RecordID, account: RecordID)

  /// The tracker does not cool down, so there is no cooldown to restart.
  case notCooling(RecordID)

  /// An account needs an e-mail address.
  case emptyEmail

  /// The provider at this position has no name, or a number of days that is no cooldown.
  case invalidProvider(index: Int)

  /// The provider at this position was named before; an account has one tracker for each.
  case repeatedProvider(index: Int)
}

extension AccountError: CustomStringConvertible {
  /// What happened, and what can be done.
  public var description: String {
    switch self {
    case .accountNotFound(let id):
      "Account \(id) does not exist here or was deleted; restore it, or add it anew."
    case .accountNotDeleted(let id): "Account \(id) is not deleted, so there is nothing to restore."
    case .trackerNotFound(let id):
      "Tracker \(id) does not exist here or was deleted; show the accounts again."
    case .trackerWithoutAccount(let tracker, let account):
      "Tracker \(tracker) belongs to account \(account), which was deleted or has not arrived here; restore the "
        + "account first."
    case .notCooling(let id): "Tracker \(id) is ready, so there is nothing to restart; start a cooldown."
    case .emptyEmail: "An account needs an e-mail address; enter one."
    case .invalidProvider(let index):
      "Provider \(index + 1) needs a name, and a cooldown of \(Provider.cooldownDays.lowerBound) to "
        + "\(Provider.cooldownDays.upperBound) days."
    case .repeatedProvider(let index):
      "Provider \(index + 1) was named before; an account has one tracker for each provider."
    }
  }
}
