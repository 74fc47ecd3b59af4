import Rejoin
import RejoinCore
import RejoinOutbox

/// Pages of rows of which nobody has heard, in the form of the default dialect.
struct RowPages {
  /// The names of the rows: UUIDs that come in no order, or names that the server made.
  var hasServerIDs = false

  /// One page: the rows of these numbers, and the cursor behind them.
  func page(_ numbers: Range<Int>, hasMore: Bool = false) -> HTTPResponse {
    let body: JSON = [
      "changes": .array(numbers.map { row($0) }), "cursor": .string("c\(numbers.upperBound)"),
      "has_more": .bool(hasMore), "epoch": "1",
    ]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  /// The record's id that stands for a row.
  static func id(_ number: Int) -> RecordID {
    RecordID(high: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number))
  }

  private func row(_ number: Int) -> JSON {
    [
      "entity": "orders", "id": .string(hasServerIDs ? "order-\(number)" : Self.id(number).description),
      "version": 1, "updated_at": .int(1_600_000_000_000 + Int64(number)), "deleted_at": .null,
      "fields": [
        "title": .string("order \(number)"), "quantity": .int(Int64(number)), "isPaid": true, "note": .null,
      ],
    ]
  }
}

extension Outbox {
  /// Runs one cycle in which the server answers with these responses, one after the other.
  func load(_ responses: [HTTPResponse]) throws -> CycleReport {
    var cycle = cycle()
    for response in responses {
      guard try cycle.next() != nil else { break }
      try cycle.receive(response)
    }
    return cycle.report
  }
}
