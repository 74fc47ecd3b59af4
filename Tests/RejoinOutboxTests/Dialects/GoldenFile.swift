import AccountTrackers
import Foundation
import RejoinCore
import RejoinOutbox
import Testing

/// A request and its answer, or an entry of a queue, as written from the documents before the dialects were.
struct GoldenFile: CustomTestStringConvertible {
  struct Malformed: Error {}

  var document: String
  var name: String
  var json: JSON
  var testDescription: String { "\(document)/\(name)" }

  static let dialects: [String: any Dialect] = [
    "000": AccountsDialect(), "001": IntentDialect(), "002": UpsertDialect(),
    "003": TableDialect(tables: ["visits", "photos"]),
  ]

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden")

  /// The files of all dialects but the default one whose names begin in this way.
  static func all(_ prefix: String) throws -> [GoldenFile] {
    try dialects.keys.sorted().flatMap { document in
      let folder = folder.appendingPathComponent(document)
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        .filter { $0.hasPrefix(prefix) }.map { name in
          let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(name)))
          return GoldenFile(document: document, name: name, json: try JSON(parsing: bytes))
        }
    }
  }

  var dialect: any Dialect { Self.dialects[document] ?? MutationsDialect() }

  var configuration: OutboxConfiguration {
    OutboxConfiguration(pageLimit: (json["limit"]?.wireNumber).map { Int($0) } ?? 2)
  }

  func list(_ name: String) throws -> [JSON] {
    guard case .array(let elements)? = json[name] else { throw Malformed() }
    return elements
  }

  func entries() throws -> [OutboxEntry] { try list("entries").map(Self.entry) }

  /// An entry in the default form.
  private static func entry(_ json: JSON) throws -> OutboxEntry {
    guard let id = json["op_id"]?.wireText.flatMap({ OperationID($0) }),
      let entity = json["entity"]?.wireText, let name = json["entity_id"]?.wireText,
      let operation = json["op"]?.wireText.flatMap({ OutboxEntry.Operation(rawValue: $0) }),
      case .object(let payload)? = json["payload"], let base = json["base_version"]?.wireNumber,
      let createdAt = json["created_at"]?.wireNumber,
      let record = RecordID(json["local_id"]?.wireText ?? name)
    else { throw Malformed() }
    var entry = OutboxEntry(
      id: id, subject: .record(RecordKey(Collection(entity), record)),
      serverID: record.description == name ? nil : name, operation: operation, payload: payload,
      baseVersion: base, createdAt: createdAt, intent: json["intent"]?.wireText)
    entry.attempts = Int(json["attempts"]?.wireNumber ?? 0)
    if case .object(let references)? = json["references"] {
      for member in references { entry.references[member.name] = member.value.wireText }
    }
    return entry
  }

  func response() throws -> HTTPResponse {
    guard let response = json["response"], let status = response["status"]?.wireNumber else {
      throw Malformed()
    }
    if let text = response["text"]?.wireText {
      return HTTPResponse(status: Int(status), body: Array(text.utf8))
    }
    return HTTPResponse(status: Int(status), body: response["body"]?.bytes() ?? [])
  }
}

extension HTTPRequest {
  /// The request as golden files write it, with names in order.
  var golden: String {
    var path = path
    if !query.isEmpty {
      path += "?" + query.map { "\($0.name)=\(HTTPRequest.escaped($0.value))" }.joined(separator: "&")
    }
    let headers = headers.filter { $0.name != "Content-Type" }.map { JSON.Member($0.name, .string($0.value)) }
    var members: [JSON.Member] = [
      JSON.Member("method", .string(method)), JSON.Member("path", .string(path)),
      JSON.Member("headers", .object(headers)),
    ]
    if let body = try? JSON(parsing: body) { members.append(JSON.Member("body", body)) }
    return JSON.object(members).text(sortedNames: true)
  }
}

extension ServerRow {
  /// The row in the default form, with what a golden row says.
  func golden(like other: JSON) -> String {
    guard case .object(let names) = other else { return "" }
    let all: [String: JSON] = [
      "entity": .string(entity), "id": .string(id), "local_id": localID.map { .string($0) } ?? .null,
      "version": version.map { .int($0) } ?? .null, "updated_at": updatedAt.map { .int($0) } ?? .null,
      "fields": .object(fields), "deleted_at": isDeleted ? .bool(true) : .null,
    ]
    return JSON.object(names.map { JSON.Member($0.name, all[$0.name] ?? .null) }).text(sortedNames: true)
  }

  /// A golden row, with no more of a deletion than that there was one.
  static func expected(_ json: JSON) -> String {
    guard case .object(let members) = json else { return "" }
    return JSON.object(
      members.map { member in
        member.name == "deleted_at" && member.value != .null ? JSON.Member("deleted_at", .bool(true)) : member
      }
    ).text(sortedNames: true)
  }
}

extension EntryAnswer {
  /// The word that golden files have for it.
  var word: JSON {
    switch self {
    case .applied: "applied"
    case .begun: "begun"
    case .conflict: "conflict"
    case .gone: "gone"
    case .rejected: "rejected"
    case .retryLater: "retry_later"
    }
  }

  var row: ServerRow? {
    switch self {
    case .applied(_, _, _, let row), .conflict(let row): row
    case .begun(let row): row
    case .gone, .rejected, .retryLater: nil
    }
  }
}
