import RejoinCore

extension Visibility {
  /// The registers of a record that readers see: none when it shows nothing itself, or a parent hides it.
  func visible(_ record: PackedRecord, at key: RecordKey) throws -> [PackedRegister] {
    let shown = try shown(record)
    return try hidingParent(of: record, shown, at: key) == nil ? shown : []
  }

  /// The first parent that hides a record which shows these registers; nil when it shows nothing to hide.
  func hidingParent(
    of record: PackedRecord, _ shown: [PackedRegister], at key: RecordKey
  ) throws -> RecordKey? {
    let entries = references[key.collection]
    guard !entries.isEmpty, !shown.isEmpty else { return nil }
    return try record.parents(through: entries, in: shown).first { try !isVisible($0) }
  }

  /// Whether readers see a record: it shows something itself, and so does whatever it refers to, and so on.
  ///
  /// Records that refer to each other in a circle do not hide each other. It walks without recursion, since
  /// references may chain up without bound.
  ///
  /// - Complexity: O(n) in the number of ancestors that were not asked about before.
  func isVisible(_ key: RecordKey) throws -> Bool {
    if let known = isVisibleByKey[key] { return known }
    var walk = AncestorWalk()
    var next: RecordKey? = key
    while true {
      if let key = next {
        guard let parents = try parentsIfShown(key) else {
          isVisibleByKey[key] = false
          return note(walk, isVisible: false)
        }
        walk.enter(key, parents: parents)
      }
      next = nil
      guard let parent = walk.advance() else { return note(walk, isVisible: true) }
      switch isVisibleByKey[parent] {
      case true?: continue
      case false?: return note(walk, isVisible: false)
      case nil: if !walk.meets(parent) { next = parent }
      }
    }
  }

  /// Remembers what a walk found out, and says whether the record at its start is visible.
  private func note(_ walk: AncestorWalk, isVisible: Bool) -> Bool {
    for key in walk.path { isVisibleByKey[key] = isVisible }
    // In a circle, what lies behind may still turn out to be hidden by what lies before.
    if isVisible || !walk.hasCircle {
      for key in walk.finished { isVisibleByKey[key] = true }
    }
    return isVisible && walk.path.isEmpty
  }

  /// The parents of a record; nil when it shows nothing itself.
  ///
  /// One that is there but cannot be read hides nobody.
  private func parentsIfShown(_ key: RecordKey) throws -> [RecordKey]? {
    do {
      guard let record = try record(key) else { return nil }
      let shown = try shown(record)
      return shown.isEmpty ? nil : record.parents(through: references[key.collection], in: shown)
    } catch let error as any StoreFailure where error.isOfOneAddress {
      return []
    }
  }
}

/// A depth-first walk up the references.
private struct AncestorWalk {
  private var stack: [(key: RecordKey, parents: [RecordKey])] = []
  private var entered: Set<RecordKey> = []
  private var open: Set<RecordKey> = []

  /// The records all of whose ancestors were looked at, but for circles.
  private(set) var finished: [RecordKey] = []

  /// Whether a record was met again below which the walk still is.
  private(set) var hasCircle = false

  /// The records below which the walk still is, from its start on.
  var path: [RecordKey] { stack.map(\.key) }

  mutating func enter(_ key: RecordKey, parents: [RecordKey]) {
    stack.append((key, parents))
    entered.insert(key)
    open.insert(key)
  }

  /// The next parent to look at; nil at the end.
  mutating func advance() -> RecordKey? {
    while let last = stack.indices.last {
      if let parent = stack[last].parents.popLast() { return parent }
      let key = stack.removeLast().key
      open.remove(key)
      finished.append(key)
    }
    return nil
  }

  /// Whether a record was entered before.
  mutating func meets(_ key: RecordKey) -> Bool {
    if open.contains(key) { hasCircle = true }
    return entered.contains(key)
  }
}
