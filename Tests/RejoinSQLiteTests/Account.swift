import Rejoin

/// The record type of the stores' tests.
struct Account: Record, Equatable {
  static let collection: Collection = "accounts"
  var id: RecordID
  var email: String
  var nickname: String?
}

extension RecordID {
  /// An id for tests, of a small number.
  static func numbered(_ number: UInt64) -> RecordID { RecordID(high: 0x0190_0000_0000_7000, low: number) }
}

extension RecordKey {
  /// Where the account with this id lives.
  static func account(_ id: RecordID) -> RecordKey { RecordKey(Account.collection, id) }
}
