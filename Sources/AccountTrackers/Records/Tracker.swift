public import Rejoin

/// A provider's limit for one account: once hit, the account cools down for a number of days.
public struct Tracker: Record, Hashable {
  /// "trackers".
  public static let collection: Collection = "trackers"

  /// A tracker disappears with its account and comes back with it.
  public static let references = [Reference(CodingKeys.account, to: Account.self)]

  /// Trackers are found by their accounts.
  public static let indexes = [Index(CodingKeys.account)]

  /// The tracker's id.
  public var id: RecordID

  /// The account that it belongs to.
  public var account: RecordID

  /// Which provider, by its short name.
  public var providerSlug: String

  /// How long the provider's cooldown lasts, in days of 86,400 seconds.
  public var cooldownDays: Int

  /// When the limit was last hit; nil when it was not, or was cleared.
  public var lastLimitHitAt: UnixTime?

  enum CodingKeys: String, CodingKey {
    case id
    case account = "accountId"
    case providerSlug
    case cooldownDays
    case lastLimitHitAt
  }

  /// Makes a tracker.
  public init(
    id: RecordID, account: RecordID, providerSlug: String, cooldownDays: Int,
    lastLimitHitAt: UnixTime? = nil
  ) {
    self.id = id
    self.account = account
    self.providerSlug = providerSlug
    self.cooldownDays = cooldownDays
    self.lastLimitHitAt = lastLimitHitAt
  }
}
