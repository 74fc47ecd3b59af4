import RejoinCore
import RejoinOutbox

/// Rows of orders with eight fields of mixed kinds, the same at every run.
struct SampleRows {
  static let collection: Collection = "orders"

  /// The fields, in the order in which they become columns.
  static let fields: [FieldName] = [
    "customer", "createdAt", "isPaid", "note", "paidAt", "price", "quantity", "title",
  ]

  /// What the fields hold where JSON alone does not say it.
  static let kinds: [Collection: [FieldName: FieldKind]] = [
    collection: ["customer": .record, "createdAt": .time, "paidAt": .time, "price": .double]
  ]

  private static let start: Int64 = 1_700_000_000_000
  private static let words = [
    "blue", "lamp", "green", "chair", "café", "small", "table", "with", "two", "drawers", "oak", "“fine”",
  ]
  private let hasServerIDs: Bool

  init(hasServerIDs: Bool) {
    self.hasServerIDs = hasServerIDs
  }

  /// One row as the test server's entrance takes it.
  func write(_ number: Int) -> JSON {
    var generator = SplitMix64(seed: UInt64(number))
    let time = Self.start + Int64(number) * 1_000
    let isPaid = generator.next() % 3 != 0
    let customer = RecordID.derived(from: "\(generator.next() % 1_000)", in: "customers")
    let id =
      hasServerIDs
      ? "order-\(number)" : RecordID.make(wallMilliseconds: time, using: &generator).description
    return [
      "entity": .string(Self.collection.text), "id": .string(id), "updated_at": .int(time),
      "fields": [
        "title": .string(text(words: 4, &generator)),
        "note": generator.next() % 3 == 0 ? .null : .string(text(words: 12, &generator)),
        "quantity": .int(Int64(generator.next() % 100)),
        "price": .double(Double(generator.next() % 100_000) / 100),
        "isPaid": .bool(isPaid), "createdAt": .int(time - 5_000),
        "paidAt": isPaid ? .int(time + 60_000) : .null, "customer": .string(customer.description),
      ],
    ]
  }

  private func text(words count: Int, _ generator: inout SplitMix64) -> String {
    (0..<count).map { _ in Self.words[Int(generator.next() % UInt64(Self.words.count))] }.joined(
      separator: " ")
  }
}
