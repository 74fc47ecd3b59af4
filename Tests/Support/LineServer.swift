import Foundation
package import RejoinCore

/// The test server in a process that answers line by line, for tests with many thousand requests; see
/// `Server/server.py`.
package final class LineServer {
  /// What it answered.
  package struct Answer {
    /// The status code.
    package let status: Int
    /// The body.
    package let body: JSON
  }

  /// The process has ended, or said what it should not.
  package struct Ended: Error {}

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending: [UInt8] = []

  /// Starts it.
  package init(dialect: String = "004", fidelity: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-B", "server.py", "--lines", "--dialect", dialect, "--fidelity", fidelity,
    ]
    process.currentDirectoryURL = TestServer.sources
    process.standardInput = input
    process.standardOutput = output
    try process.runAlone()
  }

  /// Forgets everything, and begins with these settings.
  package func reset(_ settings: JSON = .object([])) throws { _ = try ask(["reset": settings]) }

  /// Makes a request with a body, or without one.
  package func send(_ method: String, _ path: String, body: JSON = .null) throws -> Answer {
    let answer = try ask([
      "method": .string(method), "path": .string(path), "query": .object([]), "headers": .object([]),
      "body": body,
    ])
    guard case .int(let status)? = answer["status"], let body = answer["body"] else { throw Ended() }
    return Answer(status: Int(status), body: body)
  }

  /// Ends it.
  package func end() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    try output.fileHandleForReading.close()
  }

  private func ask(_ command: JSON) throws -> JSON {
    try input.fileHandleForWriting.write(contentsOf: Data(command.bytes() + [UInt8(ascii: "\n")]))
    return try JSON(parsing: nextLine())
  }

  private func nextLine() throws -> [UInt8] {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeSubrange(...end) }
        return Array(pending[..<end])
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Ended() }
      pending += data
    }
  }
}
