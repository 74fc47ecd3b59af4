import RejoinCore

extension Engine {
  /// Says how what readers see of records differs between two moments or states: of the records given, and of
  /// those that hide or come back with one of them.
  ///
  /// - Complexity: O(n) in the number of records given and of records that hide or come back.
  func describe(
    _ writes: [(key: RecordKey, old: PackedRecord?, new: PackedRecord)], from before: Visibility,
    to after: Visibility
  ) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    changes.reserveCapacity(writes.count)
    var turned: [RecordKey] = []
    func compare(_ key: RecordKey, _ old: PackedRecord?, _ new: PackedRecord) throws {
      let old = try old.map { (record: $0, shown: try before.visible($0, at: key)) }
      let new = (record: new, shown: try after.visible(new, at: key))
      if (old?.shown.isEmpty ?? true) != new.shown.isEmpty { turned.append(key) }
      if let change = RecordChange(key: key, from: old, to: new) { changes.append(change) }
    }
    for write in writes { try compare(write.key, write.old, write.new) }
    guard !after.references.isEmpty else { return changes }
    var known = Set(writes.map(\.key))
    while let parent = turned.popLast() {
      for child in try store.children(of: parent) where known.insert(child).inserted {
        guard let record = try readableRecord(child) else { continue }
        try compare(child, record, record)
      }
    }
    return changes
  }

  /// What was committed to the store since a replica of this file covered `version`.
  func changes(since version: VersionVector) throws -> ChangeSet {
    let keys = try store.changes(notCoveredBy: version)
    let visibility = try visibility()
    var turned: [RecordChange] = []
    var records = try keys.records.compactMap { key -> RecordChange? in
      guard let record = try store.record(key) else { return nil }
      let shown = try visibility.visible(record, at: key)
      let isNew = !record.timestamps.contains(where: version.covers)
      guard !shown.isEmpty else {
        let change = RecordChange(key: key, kind: .deleted, fields: [])
        turned.append(change)
        return isNew ? nil : change
      }
      let isBack = record.life.map { !version.covers($0.timestamp) } ?? false
      let changed = shown.filter { isBack || !version.covers($0.precedence.timestamp) }
      let fields = record.fieldNames(changed)
      let kind: RecordChange.Kind = isNew || isBack ? .inserted : .updated
      let change = RecordChange(key: key, kind: kind, fields: fields)
      let mayTurn =
        kind == .inserted
        || !record.parents(through: visibility.references[key.collection], in: changed).isEmpty
      if mayTurn { turned.append(change) }
      return kind == .updated && fields.isEmpty ? nil : change
    }
    records += try changesOfChildren(of: turned, visibility, known: Set(keys.records))
    return ChangeSet(
      cause: .otherProcess, records: records, entries: keys.entries.filter { !$0.log.isReserved })
  }

  /// The children of records that another process changed: what they showed before is not known any more, so they
  /// are told with their parents' kind of change, as far as they are visible now or not.
  private func changesOfChildren(
    of turned: [RecordChange], _ visibility: Visibility, known: Set<RecordKey>
  ) throws -> [RecordChange] {
    guard !visibility.references.isEmpty else { return [] }
    var known = known
    var turned = turned
    var changes: [RecordChange] = []
    while let parent = turned.popLast() {
      for key in try store.children(of: parent.key) where known.insert(key).inserted {
        guard let record = try readableRecord(key) else { continue }
        let shown = try visibility.shown(record)
        guard !shown.isEmpty else { continue }
        let isHidden = try visibility.hidingParent(of: record, shown, at: key) != nil
        guard isHidden || parent.kind != .deleted else { continue }
        let change = RecordChange(
          key: key, kind: isHidden ? .deleted : parent.kind,
          fields: record.fieldNames(shown))
        changes.append(change)
        turned.append(change)
      }
    }
    return changes
  }

  /// A record; nil also when it is there and cannot be read, since then nobody sees it.
  func readableRecord(_ key: RecordKey) throws -> PackedRecord? {
    do {
      return try store.record(key)
    } catch let error as any StoreFailure where error.isOfOneAddress {
      return nil
    }
  }
}
