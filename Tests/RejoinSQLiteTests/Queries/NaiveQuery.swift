import Rejoin
import RejoinCore
import TestSupport

/// A query as plain as can be: a filter and a sort of all records, to hold the engine's against.
struct NaiveQuery: CustomStringConvertible {
  /// A condition that says what it means in its own words.
  enum Test {
    case oneOf(FieldName, [Value])
    case atLeast(FieldName, Value)
    case atMost(FieldName, Value)
    case between(FieldName, Value, Value)
    case isNull(FieldName)
  }

  var tests: [Test] = []
  var sort: Sort?
  var limit: Int?

  var condition: Condition? {
    let conditions = tests.map { test -> Condition in
      switch test {
      case .oneOf(let field, let values):
        values.count == 1 ? .equals(field, values[0]) : .oneOf(field, values)
      case .atLeast(let field, let value): .atLeast(field, value)
      case .atMost(let field, let value): .atMost(field, value)
      case .between(let field, let lower, let upper): .between(field, lower, upper)
      case .isNull(let field): .isNull(field)
      }
    }
    return conditions.isEmpty ? nil : conditions.count == 1 ? conditions[0] : .all(conditions)
  }

  var description: String { "where \(tests) sort \(String(describing: sort)) limit \(limit ?? -1)" }

  /// What is left of all visible records.
  func result(of records: [UntypedRecord]) -> [UntypedRecord] {
    var found = records.filter { record in tests.allSatisfy { Self.holds($0, in: record.fields) } }
    if let sort {
      found.sort { left, right in
        let order = QueryOrder.compare(
          left.fields[sort.field] ?? .null, right.fields[sort.field] ?? .null)
        let isFirst = order == 0 ? left.id < right.id : order < 0
        return left.id == right.id ? false : isFirst != sort.isDescending
      }
    }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  private static func holds(_ test: Test, in fields: [FieldName: Value]) -> Bool {
    func isWithin(_ field: FieldName, _ lower: Value?, _ upper: Value?) -> Bool {
      let value = fields[field] ?? .null
      let rank = QueryOrder.rank(of: value)
      if let lower, rank != QueryOrder.rank(of: lower) || QueryOrder.compare(lower, value) > 0 {
        return false
      }
      if let upper, rank != QueryOrder.rank(of: upper) || QueryOrder.compare(value, upper) > 0 {
        return false
      }
      return true
    }
    return switch test {
    case .oneOf(let field, let values): values.contains(fields[field] ?? .null)
    case .atLeast(let field, let value): isWithin(field, value, nil)
    case .atMost(let field, let value): isWithin(field, nil, value)
    case .between(let field, let lower, let upper): isWithin(field, lower, upper)
    case .isNull(let field): (fields[field] ?? .null) == .null
    }
  }
}
