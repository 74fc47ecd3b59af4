extension Schema {
  /// The layout that this version of the library reads and writes.
  ///
  /// A step is never changed once it was released: files exist that took it as it was.
  package static let current = Schema(steps: [layout1, layout2, layout3, layout4])

  /// The tables of version 1.
  private static let shape1: Step.Shape = [
    ("rejoin_replica", "only, replica, dataset, dataset_chosen, last_time, last_due, commits"),
    ("rejoin_vector", "replica, time"), ("rejoin_space", "number, kind, name, table_name"),
    ("rejoin_column", "space, position, field"), ("rejoin_hidden", "space, id, rejoin_state"),
    ("rejoin_log", "space, time, replica, id, entry"), ("rejoin_change", "replica, time, space, id"),
    ("rejoin_waiting", "time, replica, held_back, space, id"), ("rejoin_label", "time, label"),
  ]

  private static let layout1 = Step(to: shape1) { connection in
    try connection.execute(
      """
      CREATE TABLE rejoin_replica(
        only INTEGER PRIMARY KEY CHECK (only = 1), replica TEXT NOT NULL, dataset TEXT NOT NULL,
        dataset_chosen INTEGER NOT NULL, last_time INTEGER NOT NULL,
        last_due INTEGER NOT NULL, commits INTEGER NOT NULL);
      CREATE TABLE rejoin_vector(replica INTEGER PRIMARY KEY, time INTEGER NOT NULL);
      CREATE TABLE rejoin_space(
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, table_name TEXT,
        UNIQUE(kind, name));
      CREATE TABLE rejoin_column(
        space INTEGER NOT NULL, position INTEGER NOT NULL, field TEXT NOT NULL,
        PRIMARY KEY(space, position)) WITHOUT ROWID;
      CREATE TABLE rejoin_hidden(
        space INTEGER NOT NULL, id TEXT NOT NULL, rejoin_state BLOB NOT NULL,
        PRIMARY KEY(space, id)) WITHOUT ROWID;
      CREATE TABLE rejoin_log(
        space INTEGER NOT NULL, time INTEGER NOT NULL, replica INTEGER NOT NULL, id TEXT NOT NULL,
        entry TEXT NOT NULL, PRIMARY KEY(space, time, replica, id)) WITHOUT ROWID;
      CREATE UNIQUE INDEX rejoin_log_id ON rejoin_log(space, id);
      CREATE TABLE rejoin_change(
        replica INTEGER NOT NULL, time INTEGER NOT NULL, space INTEGER NOT NULL, id BLOB NOT NULL,
        PRIMARY KEY(replica, time, space, id)) WITHOUT ROWID;
      CREATE TABLE rejoin_waiting(
        time INTEGER NOT NULL, replica INTEGER NOT NULL, held_back INTEGER NOT NULL, space INTEGER NOT NULL,
        id BLOB NOT NULL, PRIMARY KEY(time, replica, held_back, space, id)) WITHOUT ROWID;
      CREATE TABLE rejoin_label(time INTEGER PRIMARY KEY, label TEXT NOT NULL);
      """)
  }

  private static let shape2 =
    shape1 + [
      ("rejoin_reference", "number, space, field, target"), ("rejoin_child", "reference, parent, id"),
    ]

  /// Version 2 adds the references between collections, and who refers to whom.
  private static let layout2 = Step(to: shape2) { connection in
    try connection.execute(
      """
      CREATE TABLE rejoin_reference(
        number INTEGER PRIMARY KEY, space INTEGER NOT NULL, field TEXT NOT NULL, target TEXT NOT NULL,
        UNIQUE(space, field));
      CREATE TABLE rejoin_child(
        reference INTEGER NOT NULL, parent BLOB NOT NULL, id BLOB NOT NULL,
        PRIMARY KEY(reference, parent, id)) WITHOUT ROWID;
      """)
  }

  private static let shape3 =
    shape2 + [("rejoin_indexed_field", "number, space, field"), ("rejoin_index", "number, key, id")]

  /// Version 3 adds the indexes of collections, and what they hold: of each living record the values of a field in
  /// either slot, as keys that sort as queries do.
  private static let layout3 = Step(to: shape3) { connection in
    try connection.execute(
      """
      CREATE TABLE rejoin_indexed_field(
        number INTEGER PRIMARY KEY, space INTEGER NOT NULL, field TEXT NOT NULL, UNIQUE(space, field));
      CREATE TABLE rejoin_index(
        number INTEGER NOT NULL, key BLOB NOT NULL, id BLOB NOT NULL,
        PRIMARY KEY(number, key, id)) WITHOUT ROWID;
      """)
  }

  /// Version 4 adds what the file keeps for its device, such as the outboxes of servers.
  private static let layout4 = Step(to: shape3 + [("rejoin_local", "space, key, text")]) { connection in
    try connection.execute(
      """
      CREATE TABLE rejoin_local(
        space TEXT NOT NULL, key BLOB NOT NULL, text TEXT NOT NULL, PRIMARY KEY(space, key)) WITHOUT ROWID;
      """)
  }
}
