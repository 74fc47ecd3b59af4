public import RejoinCore

/// Whether readers see a record, and if not, why.
public enum Presence: Hashable, Sendable {
  /// It is seen.
  case visible
  /// It was deleted; what lies beneath the deletion can be restored.
  case deleted
  /// It is alive, but hidden, because the parent that it refers to is deleted, absent or hidden itself.
  case orphaned(by: RecordKey)
}

/// A record as fields.
public struct UntypedRecord: Hashable, Sendable {
  /// Its id.
  public var id: RecordID

  /// What it shows; of a deleted record what lies beneath the deletion.
  public var fields: [FieldName: Value]

  /// Whether readers see it.
  public var presence: Presence

  /// Makes a record.
  public init(id: RecordID, fields: [FieldName: Value], presence: Presence = .visible) {
    self.id = id
    self.fields = fields
    self.presence = presence
  }

  /// Whether it was deleted; an orphan was not.
  public var isDeleted: Bool { presence == .deleted }
}

/// A record that the store holds and cannot read, because its row was damaged or edited.
public struct UnreadableRecord: Sendable {
  /// Its id; nil when that is what cannot be read.
  public let id: RecordID?

  /// What the store says; it names the place, no values.
  public let error: any Error

  /// Makes one.
  package init(id: RecordID?, error: any Error) {
    self.id = id
    self.error = error
  }
}

/// An error of a store that may concern one record or log entry alone.
package protocol StoreFailure: Error {
  /// Whether what was asked for is there but cannot be read, while everything else can.
  var isOfOneAddress: Bool { get }
}
