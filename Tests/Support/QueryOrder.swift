package import RejoinCore

/// The order of queries, spelt out without keys: what keys and stores are held against.
package enum QueryOrder {
  /// Less than zero when `left` comes first, zero when queries do not tell them apart.
  package static func compare(_ left: Value, _ right: Value) -> Int {
    let classes = (rank(of: left), rank(of: right))
    guard classes.0 == classes.1 else { return classes.0 - classes.1 }
    return switch (left, right) {
    case (.bool(let left), .bool(let right)): (left ? 1 : 0) - (right ? 1 : 0)
    case (.int(let left), .int(let right)), (.time(let left), .time(let right)): order(left, right)
    case (.int(let left), .double(let right)): compare(left, right)
    case (.double(let left), .int(let right)): -compare(right, left)
    case (.double(let left), .double(let right)): left < right ? -1 : left == right || left.isNaN ? 0 : 1
    case (.string(let left), .string(let right)): lists(Array(left.utf8), Array(right.utf8), order)
    case (.record(let left), .record(let right)): order(left, right)
    case (.data(let left), .data(let right)): lists(left, right, order)
    case (.array(let left), .array(let right)): lists(left, right, compare)
    case (.map(let left), .map(let right)):
      lists(left.entries, right.entries) { left, right in
        let names = lists(Array(left.name.utf8), Array(right.name.utf8), order)
        return names == 0 ? compare(left.value, right.value) : names
      }
    case (.unknown(let left, let leftBytes), .unknown(let right, let rightBytes)):
      left == right ? lists(leftBytes, rightBytes, order) : order(left, right)
    default: 0
    }
  }

  /// Absent and null, truth values, numbers, no number, times, texts, ids, data, lists, maps, unknown kinds.
  package static func rank(of value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int: 2
    case .double(let number): number.isNaN ? 3 : 2
    case .time: 4
    case .string: 5
    case .record: 6
    case .data: 7
    case .array: 8
    case .map: 9
    case .unknown: 10
    }
  }

  private static func compare(_ whole: Int64, _ number: Double) -> Int {
    if number >= 0x1p63 { return -1 }
    if number < -0x1p63 { return 1 }
    let floor = number.rounded(.down)
    let order = order(whole, Int64(floor))
    return order == 0 && number > floor ? -1 : order
  }

  private static func order<Part: Comparable>(_ left: Part, _ right: Part) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  private static func lists<Part>(_ left: [Part], _ right: [Part], _ compare: (Part, Part) -> Int) -> Int {
    for (left, right) in zip(left, right) {
      let order = compare(left, right)
      if order != 0 { return order }
    }
    return order(left.count, right.count)
  }
}
