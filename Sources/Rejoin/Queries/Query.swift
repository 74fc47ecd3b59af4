public import RejoinCore

/// How a query finds its records.
public enum QueryPlan: Hashable, Sendable {
  /// Every record of the collection is read, and sorted where an order is asked for.
  case scan

  /// The records that an index names are read.
  ///
  /// `isInOrder` says that they come in the order of the result, so that a limit ends the search early; otherwise
  /// they are sorted.
  case index(FieldName, isInOrder: Bool)
}

extension QueryPlan: CustomStringConvertible {
  /// The plan in a few words.
  public var description: String {
    switch self {
    case .scan: "scan"
    case .index(let field, isInOrder: true): "index of \(field), in order"
    case .index(let field, isInOrder: false): "index of \(field), then sorted"
    }
  }
}

/// What is looked for, checked and taken apart.
struct Query {
  let collection: Collection
  let includingDeleted: Bool
  let sort: Sort?
  let limit: Int?

  /// How fields are read before they are held against conditions.
  let reading: FieldReading
  private let tests: [FieldTest]

  /// Every record of a collection.
  init(everythingIn collection: Collection, includingDeleted: Bool = false) {
    self.collection = collection
    self.includingDeleted = includingDeleted
    sort = nil
    limit = nil
    reading = .plain
    tests = []
  }

  /// Checks what is looked for.
  ///
  /// - Throws: `ReplicaError.invalidLimit`, `ReplicaError.invalidName`, `ReplicaError.invalidCondition`.
  init(
    in collection: Collection, includingDeleted: Bool, where condition: Condition?, sort: Sort?, limit: Int?,
    reading: FieldReading = .plain
  ) throws {
    if let limit, limit < 0 { throw ReplicaError.invalidLimit(limit) }
    tests = try condition.map(FieldTest.tests) ?? []
    for name in tests.map(\.field) + [sort?.field].compactMap(\.self) where !name.isValid || name == "id" {
      throw ReplicaError.invalidName(bytes: name.text.utf8.count)
    }
    self.collection = collection
    self.includingDeleted = includingDeleted
    self.sort = sort
    self.limit = limit
    self.reading = reading
  }

  /// Whether a record with these fields is looked for.
  func matches(_ fields: [FieldName: Value]) -> Bool { tests.allSatisfy { $0.holds(in: fields) } }

  // MARK: Planning

  /// Where the candidates come from, and in which runs of keys.
  struct Walk {
    var plan: QueryPlan
    var ranges: [KeyRange] = []
  }

  /// Chooses by a fixed rule, whatever is stored: the first that fits.
  ///
  /// 1. the first condition on an indexed field that names values, null alone excepted
  /// 2. where a limit is given, the index of the field to sort by, within the first condition on that field
  /// 3. the first other condition on an indexed field
  /// 4. a scan
  func walk(with indexes: IndexTable) -> Walk {
    // Indexes hold living records only.
    guard !includingDeleted else { return Walk(plan: .scan) }
    // They hold fields as they are stored.
    func isIndexed(_ field: FieldName) -> Bool {
      indexes.contains(field, in: collection) && reading.leaves(field)
    }
    let indexed = tests.filter { isIndexed($0.field) }
    if let test = indexed.first(where: \.namesValues) {
      let isInOrder = sort.map { $0.field == test.field } ?? (test.ranges.count <= 1)
      return Walk(plan: .index(test.field, isInOrder: isInOrder), ranges: test.ranges)
    }
    if let sort, limit != nil, isIndexed(sort.field) {
      let ranges = indexed.first { $0.field == sort.field }?.ranges ?? [.all]
      return Walk(plan: .index(sort.field, isInOrder: true), ranges: ranges)
    }
    if let test = indexed.first {
      return Walk(plan: .index(test.field, isInOrder: sort?.field == test.field), ranges: test.ranges)
    }
    return Walk(plan: .scan)
  }
}

/// What one field of a record must show.
private struct FieldTest {
  private enum Bounds {
    case values(Set<Value>)
    case range(lower: QueryKey?, upper: QueryKey?)
  }

  let field: FieldName
  private let bounds: Bounds

  private init(_ field: FieldName, _ bounds: Bounds) {
    self.field = field
    self.bounds = bounds
  }

  /// Refuses what no field can hold, before anything goes down into it.
  private static func valid(_ value: Value, for field: FieldName) throws -> Value {
    do { return try value.validated() } catch { throw ReplicaError.invalidCondition(field) }
  }

  /// The tests that a condition consists of.
  ///
  /// - Throws: `ReplicaError.invalidCondition`.
  static func tests(of condition: Condition) throws -> [FieldTest] {
    switch condition.kind {
    case .oneOf(let field, let values):
      [FieldTest(field, .values(Set(try values.map { try valid($0, for: field) })))]
    case .range(let field, let lower, let upper):
      [
        FieldTest(
          field,
          .range(
            lower: try lower.map { QueryKey(try valid($0, for: field)) },
            upper: try upper.map { QueryKey(try valid($0, for: field)) }))
      ]
    case .all(let conditions): try conditions.flatMap(tests)
    case .unencodable(let field): throw ReplicaError.invalidCondition(field)
    }
  }

  /// Whether it names values other than null: few records are expected to hold them.
  var namesValues: Bool {
    if case .values(let values) = bounds { values != [.null] } else { false }
  }

  /// Whether a record with these fields passes.
  func holds(in fields: [FieldName: Value]) -> Bool {
    let value = fields[field] ?? .null
    switch bounds {
    case .values(let values): return values.contains(value)
    case .range(let lower, let upper):
      let key = QueryKey(value)
      return [lower, upper].allSatisfy { $0?.sharesClass(with: key) ?? true }
        && lower.map { $0 <= key } ?? true && upper.map { key <= $0 } ?? true
    }
  }

  /// The keys under which indexes hold what can pass, in order and each once.
  var ranges: [KeyRange] {
    switch bounds {
    case .values(let values):
      return Set(values.map { QueryKey(startOf: $0) }).sorted().map {
        KeyRange(lower: $0, upper: $0.successor)
      }
    case .range(let lower, let upper):
      guard let least = lower?.start ?? upper?.classStart else { return [.all] }
      let range = KeyRange(lower: least, upper: upper?.start.successor ?? lower?.classEnd)
      return range.upper.map { range.lower < $0 } ?? true ? [range] : []
    }
  }
}
