import RejoinCore
import RejoinOutbox

/// What a response says of one entry: read by the protocol's words, without the adapter.
enum Verdict {
  case applied(version: Int64?)
  case conflict(version: Int64?)
  case gone
  case rejected(reason: String)
  case putOff
  /// Nothing is known of what became of it.
  case unknown

  /// The verdicts on the entries of a request, in their order.
  static func of(_ entries: [JSON], in response: HTTPResponse) -> [Verdict] {
    let isSingle = entries.count == 1
    let unknown = entries.map { _ in Verdict.unknown }
    switch response.status {
    case 401, 403, 426: return unknown
    case 408, 425, 429, 500...599: return isSingle ? [.putOff] : unknown
    case 413: return isSingle ? [.rejected(reason: "tooLarge")] : unknown
    default: break
    }
    guard let json = try? JSON(parsing: response.body) else { return unknown }
    guard case .array(let results)? = json["results"] else {
      guard isSingle, [400, 422].contains(response.status) else { return unknown }
      for name in ["reason", "error", "code"] {
        if case .string(let reason)? = json[name] { return [.rejected(reason: reason)] }
      }
      return [.putOff]
    }
    return entries.map { entry in
      results.first { $0["op_id"] == entry["op_id"] }.map { Verdict($0) } ?? .putOff
    }
  }

  private init(_ json: JSON) {
    func number(_ json: JSON?) -> Int64? {
      if case .int(let number)? = json { number } else { nil }
    }
    switch json["outcome"] {
    case "applied"?: self = .applied(version: number(json["version"]))
    case "conflict"?: self = .conflict(version: number(json["server"]?["version"]))
    case "gone"?: self = .gone
    case "rejected"?:
      if case .string(let reason)? = json["reason"] {
        self = .rejected(reason: reason)
      } else {
        self = .rejected(reason: "rejected")
      }
    default: self = .putOff
    }
  }
}
