import RejoinCore
import RejoinOutbox
import RejoinTesting

/// Draws what a hostile server says, of the words that the protocol knows and with ids that the device knows.
struct Babble {
  var generator: SplitMix64
  var ids: [String]

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(generator.next() % UInt64(elements.count))]
  }

  mutating func number() -> JSON {
    pick([
      0, 1, 2, 3, -1, .int(.max), .int(.min), .int(1 << 62), .int(1 << 62 - 1), .double(1e308), .double(0.5),
      1_700_000_000_000, 4_000_000_000_000,
    ])
  }

  mutating func text() -> JSON {
    let words = [
      "", "a", "jobs", "visits", "applied", "conflict", "rejected", "retry_later", "gone", "\u{0}", "c",
    ]
    return .string(
      pick(words + ids + ids.map { $0.uppercased() } + ["2026-13-45T99:99:99Z", "9999-12-31T23:59:59Z"]))
  }

  /// A name or an id as others make them: long ones, none, zeros, letters that combine.
  mutating func name() -> String {
    let short = [
      "", "\u{0}", "a\u{0}", "\u{0}a", "\u{301}", "é", "e\u{301}", "\u{ffff}", "𝄞", "rejoin.x", "id",
    ]
    let lengths = [254, 255, 256, 1_024, 1_025, 5_000]
    return generator.next() % 3 == 0 ? String(repeating: "n", count: pick(lengths)) : pick(short)
  }

  /// A value near a limit: deep, long, or one that no reader takes.
  mutating func extreme() -> JSON {
    switch generator.next() % 16 {
    case 0..<5: return deep(pick([2, 60, 62, 63, 64, 65, 66, 150]))
    case 5..<7: return .string(String(repeating: "v", count: pick([4_096, 4_097, 20_000])))
    case 7 where generator.next() % 16 == 0: return .string(String(repeating: "v", count: 16 << 20))
    default: return .string(pick(Array(Babble.poisons.keys.sorted())))
    }
  }

  private func deep(_ depth: Int) -> JSON {
    var json: JSON = 1
    for number in 0..<depth { json = number % 3 == 0 ? ["a": json] : [json] }
    return json
  }

  /// What stands in a body in place of a string, since no tree can hold it.
  private static let poisons = [
    "poison:surrogate": #""\ud800""#, "poison:twice": #"{"a":1,"a":2}"#,
    "poison:integer": "18446744073709551616",
    "poison:double": "1e999",
    "poison:deep": String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
  ]

  /// The text of a tree, with what no tree can hold.
  func bytes(_ json: JSON) -> [UInt8] {
    var text = json.text()
    guard text.utf8.count < 1 << 20, text.contains("poison:") else { return Array(text.utf8) }
    for poison in Babble.poisons { text = text.replacing("\"\(poison.key)\"", with: poison.value) }
    return Array(text.utf8)
  }

  mutating func anything(depth: Int = 0) -> JSON {
    if generator.next() % 24 == 0 { return extreme() }
    switch generator.next() % (depth > 2 ? 5 : 8) {
    case 0: return .null
    case 1: return pick([true, false])
    case 2: return number()
    case 3, 4: return text()
    case 5: return .array((0..<generator.next() % 3).map { _ in anything(depth: depth + 1) })
    default:
      let names = [
        "a", "b", "id", "entity", "fields", "version", "deleted_at", "updated_at", "local_id", "",
      ]
      return .object(
        (0..<generator.next() % 4).map { _ in JSON.Member(pick(names), anything(depth: depth + 1)) })
    }
  }

  /// A value that is as it should be, most of the time.
  mutating func mostly(_ json: JSON) -> JSON { generator.next() % 8 == 0 ? anything() : json }

  mutating func row() -> JSON {
    let names = ["a", "b", "c", "id"]
    var fields: JSON = .object(
      (0..<generator.next() % 3).map { number in
        JSON.Member(generator.next() % 12 == 0 ? name() + "\(number)" : pick(names), anything(depth: 1))
      })
    if generator.next() % 150 == 0 {
      let first = pick([0, 0, 1, 50])
      fields = .object((first..<first + pick([4_000, 4_095, 4_096, 4_097])).map { JSON.Member("f\($0)", 1) })
    }
    var members = [
      JSON.Member(
        "entity",
        mostly(pick(["jobs", "jobs", "jobs", "visits", "visits", "rejoin.conflicts", .string(name())]))),
      JSON.Member("id", mostly(.string(generator.next() % 8 == 0 ? name() : pick(ids)))),
      JSON.Member("version", mostly(number())),
      JSON.Member("updated_at", mostly(number())), JSON.Member("fields", mostly(fields)),
      JSON.Member("deleted_at", pick([.null, .null, .null, false, 0, "", number(), text()])),
    ]
    if generator.next() % 3 == 0 { members.append(JSON.Member("local_id", mostly(.string(pick(ids))))) }
    return mostly(.object(members))
  }

  mutating func page(_ count: Int) -> JSON {
    [
      "changes": mostly(.array((0..<generator.next() % 5).map { _ in row() })),
      "cursor": mostly(.string("\(count)")), "has_more": mostly(pick([true, false])),
      "epoch": pick([.null, "1", "1", "1", text()]),
    ]
  }

  mutating func results(of request: HTTPRequest) -> JSON {
    guard case .array(let entries)? = (try? JSON(parsing: request.body))?["mutations"] else { return .null }
    var results: [JSON] = []
    for entry in entries {
      let key = entry["op_id"] ?? .null
      for _ in 0..<pick([1, 1, 1, 0, 2]) {
        results.append(
          mostly([
            "op_id": mostly(key),
            "outcome": pick([text(), "applied", "conflict", "rejected", "retry_later"]),
            "version": mostly(number()),
            "id": pick([.null, .null, .string(pick(ids)), text(), .string(name())]),
            "server": pick([.null, row()]), "reason": mostly("no"), "retry_after": pick([.null, number()]),
          ]))
      }
    }
    if generator.next() & 1 == 0 { results.reverse() }
    return ["results": mostly(.array(results))]
  }

  mutating func response(to request: HTTPRequest, _ count: Int) -> HTTPResponse? {
    let status = pick([
      200, 200, 200, 200, 200, 201, 204, 301, 400, 404, 409, 410, 412, 413, 422, 429, 500, 503,
    ])
    guard generator.next() % 10 != 0 else { return nil }
    let json = request.method == "POST" ? results(of: request) : page(count)
    var body = bytes(mostly(json))
    if generator.next() % 12 == 0, !body.isEmpty {
      body[Int(generator.next() % UInt64(body.count))] = UInt8(truncatingIfNeeded: generator.next())
    }
    let header = HTTPRequest.Parameter(
      "Retry-After", pick(["1", "-1", "99999999999999999999", "soon", ""]))
    return HTTPResponse(status: status, headers: [header], body: body)
  }
}
