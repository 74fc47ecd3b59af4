public import Rejoin

/// An account whose limits are tracked, such as a mailbox that is signed in at several providers.
public struct Account: Record, Hashable {
  /// "accounts".
  public static let collection: Collection = "accounts"

  /// Accounts are found by their e-mail addresses.
  public static let indexes = [Index(CodingKeys.email)]

  /// The account's id.
  public var id: RecordID

  /// Its e-mail address; two accounts made on two devices may share one.
  public var email: String

  /// What the user calls it.
  public var nickname: String?

  /// When it was made.
  public var createdAt: UnixTime

  /// When the user last changed it.
  public var updatedAt: UnixTime

  private enum CodingKeys: String, CodingKey {
    case id
    case email
    case nickname
    case createdAt
    case updatedAt
  }

  /// Makes an account.
  public init(
    id: RecordID, email: String, nickname: String? = nil, createdAt: UnixTime, updatedAt: UnixTime
  ) {
    self.id = id
    self.email = email
    self.nickname = nickname
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
