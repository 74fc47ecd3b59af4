public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The way to a server: makes one request and says what came back.
public protocol ServerConnection: Sendable {
  /// Makes a request; nil where nothing came back.
  ///
  /// - Throws: `CancellationError` where the task was cancelled.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse?
}

/// The way to a server over HTTP, on the system's own client.
///
/// Redirects, compression, proxies and certificates are the system's. A 401 or 403 asks once for another token and makes
/// the request again. On Linux every request has a connection of its own.
public struct HTTPConnection: ServerConnection {
  /// Where the server's paths begin, such as `https://example.com/api`.
  public let base: URL
  private let session: URLSession
  private let timeoutSeconds: Double
  private let token: @Sendable (_ isRefused: Bool) async -> String?

  /// Names a server.
  ///
  /// - Parameters:
  ///   - base: where the server's paths begin.
  ///   - session: the system's client.
  ///   - timeoutSeconds: how long nothing may come; rounded up to whole seconds on Linux.
  ///   - token: says what stands behind `Bearer`; asked again, once, when the server refuses it; nil sends none.
  public init(
    _ base: URL, session: URLSession = .shared, timeoutSeconds: Double = 30,
    token: @escaping @Sendable (_ isRefused: Bool) async -> String? = { _ in nil }
  ) {
    self.base = base
    self.session = session
    self.timeoutSeconds = timeoutSeconds
    self.token = token
  }

  /// Makes a request; nil where nothing came back.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse? {
    let response = try await attempt(request, token: await token(false))
    guard let status = response?.status, status == 401 || status == 403, let renewed = await token(true)
    else {
      return response
    }
    return try await attempt(request, token: renewed)
  }

  private func attempt(_ request: HTTPRequest, token: String?) async throws -> HTTPResponse? {
    do {
      let (data, response) = try await session.data(for: urlRequest(request, token: token))
      guard let response = response as? HTTPURLResponse else { return nil }
      let headers = response.allHeaderFields.compactMap { pair in
        (pair.key as? String).map { HTTPRequest.Parameter($0, "\(pair.value)") }
      }
      return HTTPResponse(status: response.statusCode, headers: headers, body: Array(data))
    } catch is URLError {
      try Task.checkCancellation()
      return nil
    }
  }

  private func urlRequest(_ request: HTTPRequest, token: String?) -> URLRequest {
    var components = URLComponents(url: base, resolvingAgainstBaseURL: false) ?? URLComponents()
    components.percentEncodedPath += request.validPath
    if !request.query.isEmpty {
      components.percentEncodedQuery = request.query
        .map { "\(HTTPRequest.escaped($0.name))=\(HTTPRequest.escaped($0.value))" }
        .joined(separator: "&")
    }
    var made = URLRequest(url: components.url ?? base)
    made.timeoutInterval = HTTPConnection.timeout(timeoutSeconds)
    made.httpMethod = request.method
    for header in request.headers { made.setValue(header.value, forHTTPHeaderField: header.name) }
    #if canImport(FoundationNetworking)
    // Here the system's client is libcurl. Where a connection that was used before ends before the first byte of an
    // answer, libcurl sends the request again by itself. Foundation does not rewind the body for that, and libcurl
    // asks for it as fast as it can until the time-out is over. So no connection is used twice. That costs some 0.5 ms
    // of work for each request on the loopback interface, and a handshake where there is TLS. And since Foundation goes
    // on watching whether a new connection can be written to, a thread is busy until its first answer comes.
    // A server that keeps the connection in spite of the header, and HTTP/2, which has no such header, are not helped.
    made.setValue("close", forHTTPHeaderField: "Connection")
    #endif
    if let token { made.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    if !request.body.isEmpty { made.httpBody = Data(request.body) }
    return made
  }

  /// A time-out as the system's client understands it.
  static func timeout(_ seconds: Double) -> Double {
    #if canImport(FoundationNetworking)
    // Here it drops fractions, and ignores what an initialiser is given.
    max(1, seconds.rounded(.up))
    #else
    seconds
    #endif
  }
}
