package import RejoinCore
package import RejoinOutbox

/// A plain server in memory, with the faults that such servers and the way to them have.
package struct ModelServer {
  /// A row.
  package struct Row: Equatable {
    package var version: Int64
    package var updatedAt: Int64
    package var isDeleted: Bool
    package var fields: [String: JSON]
    /// The place of its last change among all changes.
    var order: Int64
    /// The device that changed it last and has heard so; nil for somebody else.
    var writer: Int?

    static let none = Row(version: 0, updatedAt: 0, isDeleted: false, fields: [:], order: 0)
  }

  /// What a backup of the server holds.
  struct Contents {
    var rows: [String: [String: Row]] = [:]
    /// How often each operation was carried out.
    var applied: [String: Int] = [:]
    /// What was answered, by key.
    var results: [String: JSON] = [:]
    var order: Int64 = 0
  }

  /// How the server is made.
  package var traits: ServerTraits
  /// The wall clock, in milliseconds.
  package var wallMilliseconds: Int64
  var contents = Contents()
  /// What pages show, where they lag.
  var shown = Contents()
  /// Which beginning of its history this is.
  var epoch = 1
  /// Cursors before this place are not known any more, unless they were given after the last purge.
  var horizon: Int64 = 0
  var purges = 0
  /// The versions of rows whose tombstones are gone.
  var purged: [String: Int64] = [:]
  /// The ids that the server gave, by entity and the device's id, and the other way round.
  var names: [String: [String: String]] = [:]
  var localIDs: [String: [String: String]] = [:]
  /// Everything that devices wrote and the server ever held, as text.
  private(set) var reached: Set<String> = []
  /// The rows that ever were, as text.
  private(set) var known: Set<String> = []
  /// How many requests for pages are still answered in circles.
  package var circles = 0
  /// How many pushes are still answered with conflicts that nothing explains.
  package var quarrels = 0
  /// How many entries came.
  package private(set) var received = 0

  /// The rows, by entity and id.
  package var rows: [String: [String: Row]] { contents.rows }
  /// How often each operation was carried out.
  package var applied: [String: Int] { contents.applied }

  package init(wallMilliseconds: Int64, isStrict: Bool) {
    self.init(wallMilliseconds: wallMilliseconds, traits: ServerTraits(isStrict: isStrict))
  }

  init(wallMilliseconds: Int64, traits: ServerTraits) {
    self.wallMilliseconds = wallMilliseconds
    self.traits = traits
  }

  // MARK: Requests

  /// Answers a request of a device; nil where nothing comes back.
  package mutating func answer(_ request: HTTPRequest, fault: Fault, from device: Int? = nil) -> HTTPResponse?
  {
    let count = entries(of: request).count
    let isPush = request.method == "POST"
    switch fault {
    case .lostRequest: return nil
    case .refused(let status, let body):
      let wait = HTTPRequest.Parameter("Retry-After", String(status % 7))
      return HTTPResponse(status: status, headers: [wait], body: Array(body.utf8))
    case .tooLarge where isPush: return HTTPResponse(status: 413)
    case .refusedBatch where count > 1:
      return HTTPResponse(status: 422, body: Array(#"{"error":"invalid"}"#.utf8))
    case .unknownCursor where !isPush: return unknownCursor
    default: break
    }
    if isPush, request.body.count > traits.byteLimit ?? .max || count > traits.entryLimit ?? .max {
      return HTTPResponse(status: 413, body: Array(#"{"error":"too_large"}"#.utf8))
    }
    if case .repeatedRequest = fault { _ = handle(request, fault: .none, device) }
    let response = handle(request, fault: fault, device)
    switch fault {
    case .lostAnswer: return nil
    case .lateRefusal(let status): return HTTPResponse(status: status, body: Array("late".utf8))
    default: return response
    }
  }

  private func entries(of request: HTTPRequest) -> [JSON] {
    guard let json = try? JSON(parsing: request.body), case .array(let entries)? = json["mutations"] else {
      return []
    }
    return entries
  }

  private mutating func handle(_ request: HTTPRequest, fault: Fault, _ device: Int?) -> HTTPResponse {
    guard request.method == "POST" else { return page(request, fault: fault, device) }
    var answers: [JSON] = []
    let isQuarrel = quarrels > 0
    quarrels = max(0, quarrels - 1)
    for (index, entry) in entries(of: request).enumerated() {
      received += 1
      switch fault {
      case .busyEntries where index % 2 == 0:
        answers.append(
          ["op_id": entry["op_id"] ?? .null, "outcome": "retry_later", "retry_after": .int(Int64(index) * 9)])
      case _ where isQuarrel && contents.results[text(entry["op_id"])] == nil,
        .bareConflict where index == 0 && contents.results[text(entry["op_id"])] == nil:
        answers.append(["op_id": entry["op_id"] ?? .null, "outcome": "conflict"])
      case .missingAnswer where index == 0: _ = take(entry, fault: fault)
      default: if let answer = take(entry, fault: fault) { answers.append(answer) }
      }
    }
    if case .reorderedAnswers = fault { answers.reverse() }
    let body: JSON = ["results": .array(answers)]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  private func text(_ json: JSON?) -> String {
    guard case .string(let text)? = json else { return "" }
    return text
  }

  /// What is made with something else is made under that one's key, or not at all.
  private mutating func take(_ entry: JSON, fault: Fault) -> JSON? {
    guard let whole = entry["made_with"] else { return take(entry, key: text(entry["op_id"]), fault: fault) }
    guard contents.results[text(whole)]?["outcome"] == "applied",
      case .object(var answer) = take(entry, key: "\(text(whole))/\(text(entry["op_id"]))", fault: fault)
    else { return nil }
    for place in answer.indices where answer[place].name == "op_id" {
      answer[place].value = entry["op_id"] ?? .null
    }
    return .object(answer)
  }

  private mutating func take(_ entry: JSON, key: String, fault: Fault) -> JSON {
    if let known = contents.results[key] { return known }
    let answer = apply(entry, key: key, fault: fault)
    if answer["outcome"] == "applied" { contents.applied[key, default: 0] += 1 }
    if answer["outcome"] != "rejected" || traits.remembersRefusals && answer["reason"] != "unknown parent" {
      contents.results[key] = answer
    }
    return answer
  }

  /// Remembers what a device's change brought here.
  mutating func note(_ payload: [JSON.Member], of subject: String) {
    known.insert(subject)
    for member in payload { reached.insert("\(subject)/\(member.name)/\(member.value.text())") }
  }
}
