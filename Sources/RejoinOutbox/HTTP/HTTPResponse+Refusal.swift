import RejoinCore

extension HTTPResponse {
  /// Whether it holds JSON, of whatever shape.
  var isJSON: Bool { (try? JSON(parsing: body)) != nil }

  /// Why the server refuses a request as a whole: what stands under `reason`, `error` or `code` in an object.
  ///
  /// Only who speaks the protocol says so. What stands in between, such as a gateway or a sign-in page, answers with the
  /// same statuses, but in other shapes, and has decided nothing about an entry.
  var refusal: String? {
    guard let json = try? JSON(parsing: body) else { return nil }
    for name in ["reason", "error", "code"] {
      if case .string(let text)? = json[name], !text.isEmpty { return text }
    }
    return nil
  }
}
