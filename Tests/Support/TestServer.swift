package import Foundation
import RejoinCore
import Synchronization

/// A server of the documents' wire format, in a process and with a storage of its own.
///
/// The server is the program in `Tests/Support/Server`; its `server.py` says what it decides where the documents are
/// silent, its `faults.py` which faults `control` can ask for.
package final class TestServer: Sendable {
  /// What a test server could not do.
  package enum Failure: Error {
    /// The process ended, or printed something else, before it said where it listens.
    case didNotStart(String)
    /// It is not running now.
    case isNotRunning
    /// It answered a control with an error.
    case refused(status: Int, body: String)
  }

  private struct Running {
    let process: Process
    let input: Pipe
    let port: Int
  }

  /// The folder of the server's Python files.
  package static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Server")

  private let folder: URL
  private let dialect: String
  private let fidelity: String
  private let running = Mutex<Running?>(nil)

  private init(folder: URL, dialect: String, fidelity: String) {
    self.folder = folder
    self.dialect = dialect
    self.fidelity = fidelity
  }

  private static let turns = Turns(4)

  /// Gives `body` a new server, and ends it and removes its storage afterwards, whatever happens.
  ///
  /// At most four servers run at once, since on Linux a client keeps a thread busy while it waits for an answer; `body`
  /// makes no second one.
  package static func with<Result>(
    dialect: String = "004", fidelity: String = "plain", _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await turns.take { try await withInTurn(dialect: dialect, fidelity: fidelity, body) }
  }

  private static func withInTurn<Result>(
    dialect: String, fidelity: String, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = TestServer(folder: folder, dialect: dialect, fidelity: fidelity)
    defer { server.stop() }
    try await server.start()
    return try await body(server)
  }

  /// Starts the server on its storage, after `stop` or `kill`; it then listens elsewhere than before.
  package func start() async throws {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-B", Self.sources.appendingPathComponent("server.py").path,
      "--storage", folder.appendingPathComponent("server.db").path, "--dialect", dialect,
      "--fidelity", fidelity,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.runAlone()
    let line = await Self.firstLine(of: output.fileHandleForReading)
    guard case .int(let port)? = (try? JSON(parsing: line))?["port"] else {
      process.terminate()
      process.waitUntilExit()
      throw Failure.didNotStart(line)
    }
    running.withLock { $0 = Running(process: process, input: input, port: Int(port)) }
  }

  /// What stands before the first end of a line; waits for it on a thread that may wait.
  private static func firstLine(of file: FileHandle) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var bytes = Data()
        while !bytes.contains(UInt8(ascii: "\n")) {
          let more = file.availableData
          if more.isEmpty { break }
          bytes += more
        }
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// Where the server listens now.
  package var url: URL {
    get throws {
      guard let port = running.withLock({ $0?.port }), let url = URL(string: "http://127.0.0.1:\(port)")
      else {
        throw Failure.isNotRunning
      }
      return url
    }
  }

  /// Ends the server by closing its input, as the end of the test process does.
  package func stop() {
    end { try? $0.input.fileHandleForWriting.close() }
  }

  /// Ends the server at once, whatever it is doing; its storage keeps what was committed.
  package func kill() {
    end { _ = Foundation.kill($0.process.processIdentifier, SIGKILL) }
  }

  private func end(_ body: (Running) -> Void) {
    let ending = running.withLock { running in
      defer { running = nil }
      return running
    }
    guard let ending else { return }
    body(ending)
    ending.process.waitUntilExit()
  }
}
