public import RejoinCore

/// What happens to a field when two wrote it, when a server has another value, and when a server refuses one.
///
///     static let policies = [
///       FieldPolicy(CodingKeys.price, .authority, server: .serverWins),
///       FieldPolicy(CodingKeys.amount, .review, onRejection: .rollback),
///     ]
///
/// A field that is not on the list is merged by its latest write. Counters and add-wins sets need no policy: nothing of
/// them can lose.
public struct FieldPolicy: Hashable, Sendable {
  /// What happens when two replicas wrote a field without knowing of each other.
  public enum Merging: String, CaseIterable, Sendable {
    /// The later write wins; the other is in the conflict ledger.
    case lww

    /// Only the replica that holds the authority over the field writes it, see ``Replica/authority(over:in:)``.
    case authority

    /// The field is a set that elements are only added to, so that both sides keep everything: removing one is refused.
    case append

    /// As `lww`; and the record asks for review until somebody has resolved the conflict.
    case review
  }

  /// What happens when a plain server holds another value than this device's unsent one.
  public enum Pulling: String, CaseIterable, Sendable {
    /// The later write wins.
    case lww

    /// The server's value replaces the device's.
    case serverWins

    /// The device's value stays until it was sent.
    case clientWins
  }

  /// What happens to a device's value when a plain server refuses it for good.
  public enum Rejection: String, CaseIterable, Sendable {
    /// It stays on this device, and is listed until somebody has decided.
    case keep

    /// The server's value comes back at once, and the refused one is listed.
    case rollback
  }

  /// The field, by coding key.
  public var field: FieldName

  /// Between replicas.
  public var merging: Merging

  /// Against a plain server's value.
  public var server: Pulling

  /// After a plain server's refusal.
  public var onRejection: Rejection

  /// Makes the policy of a field.
  public init(
    _ field: FieldName, _ merging: Merging = .lww, server: Pulling = .lww, onRejection: Rejection = .keep
  ) {
    self.field = field
    self.merging = merging
    self.server = server
    self.onRejection = onRejection
  }

  /// Makes the policy of the field with a coding key.
  public init(
    _ key: some CodingKey, _ merging: Merging = .lww, server: Pulling = .lww, onRejection: Rejection = .keep
  ) {
    self.init(FieldName(key.stringValue), merging, server: server, onRejection: onRejection)
  }
}

/// The policies that a replica was told of.
///
/// They are what an application decides, so they are neither stored nor sent.
struct PolicyTable {
  private var policies: [Collection: [FieldName: FieldPolicy]] = [:]

  /// The policy of a field.
  subscript(field: FieldName, in collection: Collection) -> FieldPolicy {
    policies[collection]?[field] ?? FieldPolicy(field)
  }

  /// The policies of a collection that are declared, in order of their fields.
  subscript(collection: Collection) -> [FieldPolicy] {
    policies[collection].map { $0.values.sorted { $0.field < $1.field } } ?? []
  }

  /// Makes policies known; the last one of a field counts.
  mutating func declare(_ new: [FieldPolicy], in collection: Collection) {
    for policy in new { policies[collection, default: [:]][policy.field] = policy }
  }
}

extension Replica {
  /// Makes policies of a collection's fields known, for records that are not typed; the last one of a field counts.
  ///
  /// Unlike references they are not kept in the file: declare them whenever you open the replica.
  public func declare(_ policies: [FieldPolicy], in collection: Collection) {
    withEngine { $0.policies.declare(policies, in: collection) }
  }

  /// The policies of a collection's fields that are known, in order of the fields.
  public func policies(of collection: Collection) -> [FieldPolicy] {
    withEngine { $0.policies[collection] }
  }
}
