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
    let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    let digits = Array("0123456789ABCDEF")
    var escaped = ""
    for byte in text.utf8 {
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
