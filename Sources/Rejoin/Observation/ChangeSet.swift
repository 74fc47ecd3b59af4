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
  }

  /// What brought the changes about.
  public var cause: Cause

  /// The records whose visible state changed.
  public var records: [RecordChange]

  /// The log entries that are new.
  public var entries: [EntryKey]

  /// Whether nothing changed.
  public var isEmpty: Bool { records.isEmpty && entries.isEmpty }
}

/// What happened to one record, as its readers see it.
public struct RecordChange: Hashable, Sendable {
  /// How the visible state changed.
  public enum Kind: Hashable, Sendable {
    /// The record became visible: inserted, restored or learnt.
    case inserted
    /// Fields changed.
    case updated
    /// The record is no longer visible.
    case deleted
  }

  /// Which record.
  public var key: RecordKey

  /// How it changed.
  public var kind: Kind

  /// The fields that changed; for a record that appeared or vanished, the fields that it shows or showed.
  public var fields: [FieldName]
}

extension RecordChange {
  /// Compares what a record showed with what it shows; nil when readers see no difference.
  init?(
    key: RecordKey, from old: (record: PackedRecord, shown: [PackedRegister])?,
    to new: (record: PackedRecord, shown: [PackedRegister])
  ) {
    let before = old?.shown ?? []
    guard !before.isEmpty || !new.shown.isEmpty else { return nil }
    let kind: Kind =
      before.isEmpty ? .inserted : new.shown.isEmpty ? .deleted : .updated
    var names: [FieldName?] = []
    if let old, kind == .updated {
      guard old.record != new.record || before.map(\.value) != new.shown.map(\.value) else { return nil }
      let earlier = Dictionary(
        before.map { (old.record.bytes[$0.address], $0) }, uniquingKeysWith: { first, _ in first })
      for register in new.shown {
        let same = earlier[new.record.bytes[register.address]]
        if let same, old.record.valueBytes(of: same) == new.record.valueBytes(of: register) { continue }
        names.append(new.record.readableField(register) ?? same.flatMap(old.record.readableField))
      }
      let now = Set(new.shown.map { new.record.bytes[$0.address] })
      for register in before where !now.contains(old.record.bytes[register.address]) {
        names.append(old.record.readableField(register))
      }
      guard names.contains(where: { $0 != nil }) else { return nil }
    } else if kind == .deleted, let old {
      names = before.map(old.record.readableField)
    } else {
      names = new.shown.map(new.record.readableField)
    }
    self.init(key: key, kind: kind, fields: names.compactMap(\.self))
  }
}
