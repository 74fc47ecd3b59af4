/// A request to a server, relative to its base address.
public struct HTTPRequest: Hashable, Sendable {
  /// The method, such as `POST`.
  public var method: String
  /// The path below the base address, such as `/mutations`; ids and names in it are ``escaped(_:)``.
  public var path: String
  /// The parameters of the query, in order, not yet escaped.
  public var query: [Parameter] = []
  /// The headers, in order.
  public var headers: [Parameter] = []
  /// The body; empty for none.
  public var body: [UInt8] = []

  /// A name and its value.
  public struct Parameter: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// Makes one.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes a request without query, headers and body.
  public init(_ method: String, _ path: String) {
    self.method = method
    self.path = path
  }

  /// A text with everything escaped but letters, digits and four marks, so that it comes to the server byte for byte, in
  /// a query and as one part of a path.
  public static func escaped(_ text: String) -> String {
    escaped(Array(text.utf8), but: unreserved)
  }

  /// The path with everything escaped that no path may have; what is escaped already stays.
  var validPath: String {
    let bytes = Array(path.utf8)
    let digits = Set("0123456789ABCDEFabcdef".utf8)
    var valid = ""
    for (place, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && bytes.dropFirst(place + 1).prefix(2).count(where: digits.contains) == 2
      valid += isEscape ? "%" : HTTPRequest.escaped([byte], but: HTTPRequest.allowedInPaths)
    }
    return valid
  }

  private static let unreserved = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
  private static let allowedInPaths = unreserved.union("/!$&'()*+,;=:@".utf8)

  private static func escaped(_ bytes: [UInt8], but kept: Set<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF")
    var escaped = ""
    for byte in bytes {
      if kept.contains(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return escaped
  }
}

/// What came back over HTTP, whoever answered: the server, or something in between.
public struct HTTPResponse: Hashable, Sendable {
  /// The status code.
  public var status: Int
  /// The headers.
  public var headers: [HTTPRequest.Parameter]
  /// The body.
  public var body: [UInt8]

  /// Makes a response.
  public init(status: Int, headers: [HTTPRequest.Parameter] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of the first header of this name, in whatever case the name is written.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
