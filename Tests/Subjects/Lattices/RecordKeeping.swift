import RejoinTesting
import RejoinCore

/// Registers and lives of records by themselves, without a replica around them: how edits use them.
protocol RecordKeeping {
  /// A record's entry in the tombstone set.
  func life(of record: Int) -> Life?

  /// The registers of the life that is running, or that ended last.
  func registers(of record: Int) -> [RegisterAddress: LWWRegister]

  /// Joins an entry and registers of one timestamp.
  mutating func join(
    _ life: Life?, _ values: [RegisterAddress: Value], at timestamp: Timestamp, of record: Int)
}

extension RecordKeeping {
  /// What shows of the records.
  var records: [Int: Content.Record] {
    (0..<Edit.recordCount).reduce(into: [:]) { records, number in
      let registers = registers(of: number)
      guard life(of: number) != nil || !registers.isEmpty else { return }
      records[number] = Content.Record(
        count: life(of: number)?.count ?? 1,
        fields: registers.reduce(into: [:]) { fields, register in
          if register.key != .existence { fields[Edit.name(of: register.key)] = register.value.value }
        })
    }
  }

  /// Performs the writes of an edit, where the rules allow them; other edits have none.
  mutating func perform(_ edit: Edit, at timestamp: Timestamp) {
    switch edit {
    case .commit(let writes): for write in writes { perform(write, at: timestamp) }
    case .commitUnknown(let record, let value):
      perform(.set(record: record, [Edit.unknownField: value]), at: timestamp)
    case .append, .given, .abandon, .suffer, .sufferNextMerge, .mixUpReceivers, .resolve: break
    }
  }

  /// Performs a write where the rules allow it.
  mutating func perform(_ write: Write, at timestamp: Timestamp) {
    let record = write.record
    let count = life(of: record)?.count ?? 1
    let next = Life(count: count + 1, timestamp: timestamp)
    let values = registers(of: record).mapValues(\.value)
    let isDeleted = count % 2 == 0
    switch write {
    case .insert(_, let fields) where isDeleted || values.isEmpty:
      let fields = fields.isEmpty ? [.existence: true] : Edit.addressed(fields)
      join(isDeleted ? next : life(of: record), fields, at: timestamp, of: record)
    case .set(_, let fields) where !isDeleted && !values.isEmpty:
      join(life(of: record), Edit.addressed(fields), at: timestamp, of: record)
    case .delete where !isDeleted && !values.isEmpty: join(next, [:], at: timestamp, of: record)
    case .restore where isDeleted: join(next, values, at: timestamp, of: record)
    case .insert, .set, .delete, .restore, .count: break
    }
  }
}
