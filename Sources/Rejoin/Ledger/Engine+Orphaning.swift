import RejoinCore

/// Writes to a child whose author had not seen that its parent was deleted.
extension Engine {
  /// The registers of children and the deletions of their parents that meet in a merge for the first time.
  ///
  /// Whoever deleted the parent had not seen the child's register, and whoever wrote that had not seen the deletion.
  /// Only parents themselves count, not theirs: each of those had its own children when it was deleted.
  ///
  /// - Complexity: O(n) in what is merged, and in the children of parents whose deletion is new; nothing where nothing
  ///   refers to anything.
  func orphaned(by commit: StoreCommit, _ rules: MergeRules) throws -> [Conflict] {
    let references = try store.references()
    guard !references.isEmpty else { return [] }
    let pending = commit.pending
    func record(_ key: RecordKey) throws -> PackedRecord? { try pending[key] ?? readableRecord(key) }
    var conflicts: [Conflict] = []
    func add(_ key: RecordKey, _ child: PackedRecord, parent: RecordKey, _ life: Life, isNew: Bool) {
      let running = child.life?.count ?? 1
      for register in child.registers where register.precedence.life >= running {
        let timestamp = register.precedence.timestamp
        guard isNew ? !rules.own.covers(timestamp) : !rules.through.covers(timestamp) else { continue }
        conflicts.append(
          Conflict(
            record: key, address: child.address(of: register), winner: .life(life),
            loser: .register(child.register(register)), parent: parent))
      }
    }
    for write in commit.records {
      for entry in references[write.key.collection] {
        for id in write.new.possibleParents(through: entry).sorted() {
          let parent = RecordKey(entry.reference.collection, id)
          guard let life = try record(parent)?.life, !life.isAlive, !rules.through.covers(life.timestamp)
          else { continue }
          add(write.key, write.new, parent: parent, life, isNew: true)
        }
      }
      guard let life = write.new.life, !life.isAlive, life != write.old?.life,
        !rules.own.covers(life.timestamp)
      else { continue }
      for key in try store.children(of: write.key) {
        guard let child = try record(key), child.life?.isAlive ?? true else { continue }
        add(key, child, parent: write.key, life, isNew: false)
      }
    }
    return conflicts
  }
}
