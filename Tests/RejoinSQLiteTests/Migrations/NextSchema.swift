import Rejoin
import RejoinSQLite
import TestSupport

extension Schema {
  /// A layout that comes after the present one: a column for labels, and a table that is filled from others.
  ///
  /// It takes nothing away, so that the present code can use it.
  static let next = current.adding(nextStep { _ in })

  /// The step to the next layout; `end` is called when it has done everything.
  static func nextStep(_ end: @escaping @Sendable (SQLiteConnection) throws -> Void) -> Step {
    let label = ("rejoin_label", "time, label, author")
    return Step(
      to: shape.filter { $0.table != label.0 } + [label, ("rejoin_note", "record, text")]
    ) { connection in
      try connection.execute(
        """
        ALTER TABLE rejoin_label ADD COLUMN author TEXT NOT NULL DEFAULT '';
        UPDATE rejoin_label SET author = 'before the column';
        CREATE TABLE rejoin_note(record TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO rejoin_note SELECT id, 'deleted' FROM rejoin_hidden;
        """)
      try end(connection)
    }
  }

  /// What the tables of the present layout must have.
  static var shape: Step.Shape { current.steps[Int(current.version) - 1].shape }

  /// This layout with one more step.
  func adding(_ step: Step) -> Schema { Schema(steps: steps + [step]) }
}

extension Stores {
  /// The replica of a file, as a library with this layout opens it.
  func replica(_ name: String = "one", schema: Schema) throws -> Replica {
    try Replica(
      store: SuspendableStore(path: path(name), durability: .normal, schema: schema),
      configuration: configuration())
  }
}
