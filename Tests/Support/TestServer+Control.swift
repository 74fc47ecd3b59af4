import Foundation
package import RejoinCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TestServer {
  /// What one request came back with.
  package struct Answer: Sendable {
    /// The status code.
    package let status: Int
    /// The bytes of the body.
    package let bytes: [UInt8]
    /// The headers by their names in small letters.
    package let headers: [String: String]

    /// The body as JSON.
    package var json: JSON { get throws { try JSON(parsing: bytes) } }
  }

  /// Sets switches of the server: faults, settings, its clock, and more; see `control.py`.
  ///
  /// - Throws: `Failure.refused` for a switch that there is not.
  @discardableResult package func control(_ wanted: JSON) async throws -> JSON {
    try await succeed("POST", "/_control", wanted)
  }

  /// Turns on one fault: its kind, what that needs, and its scope; see `faults.py`.
  package func fault(_ kind: String, _ wanted: [JSON.Member] = []) async throws {
    try await control(["faults": [.object([JSON.Member("kind", .string(kind))] + wanted)]])
  }

  /// Everything that the server has and has counted: rows, operations, requests.
  package func state() async throws -> JSON {
    try await succeed("GET", "/_control/state", nil)
  }

  /// Writes, deletes, purges or loads rows as another client of the server would.
  @discardableResult package func edit(_ wanted: JSON) async throws -> JSON {
    try await succeed("POST", "/_control/edit", wanted)
  }

  private func succeed(_ method: String, _ path: String, _ body: JSON?) async throws -> JSON {
    let answer = try await send(method, path, body)
    guard answer.status == 200 else {
      throw Failure.refused(status: answer.status, body: String(decoding: answer.bytes, as: UTF8.self))
    }
    return try answer.json
  }

  /// Sends one request as it is, whatever comes out.
  ///
  /// - Throws: what `URLSession` throws when no whole answer came.
  package func send(
    _ method: String, _ path: String, _ body: JSON? = nil, headers: [String: String] = [:]
  ) async throws -> Answer {
    guard let place = URL(string: path, relativeTo: try url) else { throw URLError(.badURL) }
    var request = URLRequest(url: place)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(body.bytes())
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let named = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
    return Answer(
      status: response.statusCode, bytes: [UInt8](data),
      headers: Dictionary(named) { first, _ in first })
  }
}
