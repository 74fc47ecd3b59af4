package import Rejoin

extension SQLiteStore {
  package func commit(_ commit: StoreCommit) throws {
    try write(commit.header)
    for entry in commit.vector {
      try connection.cached(
        "INSERT INTO rejoin_vector(replica, time) VALUES(?1, ?2) "
          + "ON CONFLICT(replica) DO UPDATE SET time = excluded.time"
      ).run(.int(entry.replica.sortable), .int(entry.time.sortable))
    }
    for declaration in commit.declarations {
      try spaces.declare(declaration.fields, in: declaration.collection)
    }
    for declaration in commit.references {
      try declareWithinTransaction(declaration.references, in: declaration.collection)
    }
    for declaration in commit.indexes {
      try declareWithinTransaction(declaration.indexes, in: declaration.collection)
    }
    for write in commit.records { try apply(write) }
    for write in commit.entries { try apply(write) }
    if let label = commit.label {
      try connection.cached("INSERT INTO rejoin_label(time, label) VALUES(?1, ?2)")
        .run(.int(label.time.sortable), .text(label.text))
    }
    try apply(commit.local)
    for waiting in commit.due { try removeWaiting(waiting.timestamp, waiting.record) }
    try finish()
  }

  private func write(_ header: StoreHeader) throws {
    try connection.cached(
      "INSERT INTO rejoin_replica(only, replica, dataset, dataset_chosen, last_time, last_due, commits) "
        + "VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6) "
        + "ON CONFLICT(only) DO UPDATE SET replica = excluded.replica, dataset = excluded.dataset, "
        + "dataset_chosen = excluded.dataset_chosen, last_time = excluded.last_time, "
        + "last_due = excluded.last_due, commits = excluded.commits"
    ).run(
      .text(header.replica.description), .text(header.dataset.description),
      .int(header.isDatasetChosen ? 1 : 0), .int(header.lastTime.sortable),
      .int(header.lastDue.sortable), .int(header.commits))
  }

  // MARK: Records

  private func apply(_ write: StoreCommit.RecordWrite) throws {
    let space = try spaces.makeSpace(of: write.key.collection)
    let id = SQLiteBinding.text(write.key.id.description)
    if write.shown.isEmpty {
      if write.old != nil { try connection.cached(space.delete).run(id) }
      try connection.cached(
        "INSERT INTO rejoin_hidden(space, id, rejoin_state) VALUES(?1, ?2, ?3) "
          + "ON CONFLICT(space, id) DO UPDATE SET rejoin_state = excluded.rejoin_state"
      ).run(.int(space.number), id, .blob(write.new.bytes))
    } else {
      if write.old != nil {
        try connection.cached("DELETE FROM rejoin_hidden WHERE space = ?1 AND id = ?2")
          .run(.int(space.number), id)
      }
      let row = RowCodec.encode(write.new, shown: write.shown, in: space)
      let statement = try connection.cached(space.upsert)
      try statement.bind(id, at: 1)
      try statement.bind(row.state, at: 2)
      for (index, column) in row.columns.enumerated() { try statement.bind(column, at: index + 3) }
      _ = try statement.step()
      statement.reset()
    }
    guard write.old != write.new else { return }
    try index(write, in: space)
    try indexChildren(write)
    try indexValues(write)
  }

  /// The change index holds the timestamps that occur in a record; the waiting index those in future slots.
  private func index(_ write: StoreCommit.RecordWrite, in space: Space) throws {
    let id = SQLiteBinding.blob(write.key.id.bytes)
    let old = write.old?.timestamps ?? []
    let new = write.new.timestamps
    for timestamp in old where !new.contains(timestamp) { try removeChange(timestamp, space, id) }
    for timestamp in new where !old.contains(timestamp) { try insertChange(timestamp, space, id) }
    try indexWaiting(write, in: space, id)
  }

  private func indexWaiting(_ write: StoreCommit.RecordWrite, in space: Space, _ id: SQLiteBinding) throws {
    let old = write.old?.waitingTransactions ?? [:]
    let new = write.new.waitingTransactions
    for (timestamp, _) in old where new[timestamp] == nil { try removeWaiting(timestamp, write.key) }
    for (timestamp, isHeldBack) in new where old[timestamp] != isHeldBack {
      // What was told as due is on the list no more, and an update does not bring it back.
      let sql =
        old[timestamp] == nil
        ? "INSERT OR IGNORE INTO rejoin_waiting(held_back, time, replica, space, id) VALUES(?1, ?2, ?3, ?4, ?5)"
        : "UPDATE rejoin_waiting SET held_back = ?1 WHERE time = ?2 AND replica = ?3 AND held_back IN (0, 1) "
          + "AND space = ?4 AND id = ?5"
      try connection.cached(sql).run(
        .int(isHeldBack ? 1 : 0), .int(timestamp.time.sortable), .int(timestamp.replica.sortable),
        .int(space.number), id)
    }
  }

  private func insertChange(_ timestamp: Timestamp, _ space: Space, _ id: SQLiteBinding) throws {
    try connection.cached(
      "INSERT OR IGNORE INTO rejoin_change(replica, time, space, id) VALUES(?1, ?2, ?3, ?4)"
    ).run(.int(timestamp.replica.sortable), .int(timestamp.time.sortable), .int(space.number), id)
  }

  private func removeChange(_ timestamp: Timestamp, _ space: Space, _ id: SQLiteBinding) throws {
    try connection.cached(
      "DELETE FROM rejoin_change WHERE replica = ?1 AND time = ?2 AND space = ?3 AND id = ?4"
    ).run(.int(timestamp.replica.sortable), .int(timestamp.time.sortable), .int(space.number), id)
  }

  private func removeWaiting(_ timestamp: Timestamp, _ key: RecordKey) throws {
    guard let space = spaces.space(of: key.collection) else { return }
    try connection.cached(
      "DELETE FROM rejoin_waiting WHERE time = ?1 AND replica = ?2 AND held_back IN (0, 1) AND space = ?3 "
        + "AND id = ?4"
    ).run(
      .int(timestamp.time.sortable), .int(timestamp.replica.sortable), .int(space.number),
      .blob(key.id.bytes))
  }

  // MARK: Log entries

  private func apply(_ write: StoreCommit.EntryWrite) throws {
    let space = try spaces.makeSpace(of: write.key.log)
    let id = SQLiteBinding.blob(write.key.id.bytes)
    if let old = write.old {
      try connection.cached("DELETE FROM rejoin_log WHERE space = ?1 AND id = ?2")
        .run(.int(space.number), .text(write.key.id.description))
      try removeChange(old.timestamp, space, id)
    }
    guard let new = write.new else { return }
    let timestamp = new.timestamp
    try connection.cached(
      "INSERT INTO rejoin_log(space, time, replica, id, entry) VALUES(?1, ?2, ?3, ?4, ?5)"
    ).run(
      .int(space.number), .int(timestamp.time.sortable), .int(timestamp.replica.sortable),
      .text(write.key.id.description), .text(Value.map(new.values).json.text()))
    try insertChange(timestamp, space, id)
  }
}
