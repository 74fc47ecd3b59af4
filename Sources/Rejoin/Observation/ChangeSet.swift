public import RejoinCore

/// What one transaction, one merge or the passing of time changed, told once, after it was committed.
public struct ChangeSet: Hashable, Sendable {
  /// What brought the changes about.
  public enum Cause: Hashable, Sendable {
    /// A local transaction, with its label.
    case write(label: String?)
    /// A merge.
    case merge
    /// Registers that waited came due.
    case due
    /// Another process wrote to the same file. Its changes are told in sum: a record that came and went in
    /// between is not told, and what was overwritten meanwhile is told once.
    case otherProcess
  }

  /// What brought the changes about.
  public var cause: Cause

  /// The records whose visible state changed.
  public var records: [RecordChange]

  /// The log entries that are new.
  public var entries: [EntryKey]

  /// Makes a set of changes.
  public init(cause: Cause, records: [RecordChange], entries: [EntryKey]) {
    self.cause = cause
    self.records = records
    self.entries = entries
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { records.isEmpty && entries.isEmpty }
}

/// What happened to one record, as its readers see it.
public struct RecordChange: Hashable, Sendable {
  /// How the visible state changed.
  public enum Kind: Hashable, Sendable {
    /// The record became visible: inserted, restored or learnt, or its parent was.
    case inserted
    /// Fields changed.
    case updated
    /// The record is no longer visible: it was deleted, or its parent is hidden.
    case deleted
  }

  /// Which record.
  public var key: RecordKey

  /// How it changed.
  public var kind: Kind

  /// The fields that changed; for a record that appeared or vanished, the fields that it shows or showed.
  public var fields: [FieldName]

  /// Makes a change.
  public init(key: RecordKey, kind: Kind, fields: [FieldName]) {
    self.key = key
    self.kind = kind
    self.fields = fields
  }
}

extension RecordChange {
  /// A record and those of its registers that show, by address.
  typealias View = (record: PackedRecord, shown: [PackedRegister])

  /// Compares what a record showed with what it shows; nil when readers see no difference.
  init?(key: RecordKey, from old: View?, to new: View) {
    let before = old?.shown ?? []
    if let old, !before.isEmpty, !new.shown.isEmpty {
      let fields = RecordChange.differences(old, new)
      guard !fields.isEmpty else { return nil }
      self.init(key: key, kind: .updated, fields: fields)
    } else if let old, !before.isEmpty {
      self.init(key: key, kind: .deleted, fields: old.record.fieldNames(before))
    } else if !new.shown.isEmpty {
      self.init(key: key, kind: .inserted, fields: new.record.fieldNames(new.shown))
    } else {
      return nil
    }
  }

  /// The fields that differ: where there are only plain values, a linear pass over two runs in order of the addresses.
  private static func differences(_ old: View, _ new: View) -> [FieldName] {
    guard old.record.arePlain(old.shown), new.record.arePlain(new.shown) else {
      let (before, after) = (old.record.fields(old.shown), new.record.fields(new.shown))
      let names = Set(before.keys).union(after.keys)
      return PackedRecord.inOrder(names.filter { before[$0] != after[$0] })
    }
    var fields: [FieldName] = []
    var before = old.shown[...]
    var after = new.shown[...]
    while !before.isEmpty || !after.isEmpty {
      let order = orderOfAddresses(old.record, before.first, new.record, after.first)
      let gone = order <= 0 ? before.removeFirst() : nil
      let come = order >= 0 ? after.removeFirst() : nil
      if let gone, let come, old.record.valueBytes(of: gone) == new.record.valueBytes(of: come) { continue }
      let field = come.flatMap(new.record.plainField) ?? gone.flatMap(old.record.plainField)
      if let field { fields.append(field) }
    }
    return fields
  }

  private static func orderOfAddresses(
    _ old: PackedRecord, _ before: PackedRegister?, _ new: PackedRecord, _ after: PackedRegister?
  ) -> Int {
    guard let before else { return 1 }
    guard let after else { return -1 }
    return RecordMerger.compare(old.bytes, before.address, new.bytes, after.address)
  }
}
