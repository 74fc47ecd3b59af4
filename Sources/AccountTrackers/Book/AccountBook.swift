public import Rejoin
public import RejoinOutbox

/// The accounts and trackers of a replica: what an application shows of them and does to them.
///
/// Every action is one transaction under the label of its ``AccountAction``, with one entry in the activity log. Time
/// comes from the replica's clock, unless it is given.
public struct AccountBook: Sendable {
  /// The replica that holds them.
  public let replica: Replica

  /// What is on the way to the application's server; nil for an application without one.
  public let outbox: Outbox?

  /// Opens the accounts and trackers of a replica, and makes their references and indexes known.
  ///
  /// - Complexity: O(n log n) in the number of accounts and trackers the first time, else O(1).
  /// - Throws: what the store throws.
  public init(_ replica: Replica, outbox: Outbox? = nil) throws {
    self.replica = replica
    self.outbox = outbox
    try replica.declare(Account.self)
    try replica.declare(Tracker.self)
  }

  /// The actions of all devices that are known here, in the order of their timestamps.
  ///
  /// - Complexity: O(n) in the length of the log.
  public func activity() throws -> [Activity] {
    try replica.log(Activity.log).map { Activity(id: $0.id, values: $0.entry.values) }
  }
}

/// What the outbox of an application with accounts and trackers sends: both collections and the activity log, to the
/// default dialect's server.
public let outboxConfiguration = OutboxConfiguration(
  collections: [Account.collection, Tracker.collection], logs: [Activity.log],
  kinds: [
    Account.collection: ["createdAt": .time, "updatedAt": .time],
    Tracker.collection: ["accountId": .record, "lastLimitHitAt": .time],
  ])
