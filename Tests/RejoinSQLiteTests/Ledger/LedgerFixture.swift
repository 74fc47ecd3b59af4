import Rejoin
import TestSupport

/// Replicas that hold one account and write apart from each other.
extension Stores {
  /// The id of the account.
  static let account = RecordID.numbered(1)

  /// Replicas that all hold one account, at one version.
  func level(_ names: String...) throws -> [Replica] {
    let replicas = try names.map { try replica($0) }
    try replicas[0].insert(Account(id: Stores.account, email: "ada@example.com", nickname: "Ada"))
    for replica in replicas.dropFirst() { try replica.merge(replicas[0].delta(since: replica.version)) }
    clock.advance(milliseconds: 10)
    return replicas
  }
}

extension Replica {
  /// Gives the one account another nickname.
  func rename(_ name: String?) throws {
    try update(Account.self, Stores.account) { $0.nickname = name }
  }

  /// The nickname that shows.
  var nickname: String? { get throws { try get(Account.self, Stores.account)?.nickname } }

  /// Merges what another replica knows and this one lacks, as it goes over a wire.
  @discardableResult
  func learn(from other: Replica) throws -> MergeReport {
    try merge(Delta(decoding: other.delta(since: version).encoded()))
  }

  /// The values that gave way, also those that show or were resolved.
  func losers(includingSettled: Bool = true) throws -> [Value?] {
    try conflicts(includingSettled: includingSettled).map(\.losingValue)
  }
}
