import Foundation
import RejoinCore
import TestSupport

/// The executable that these tests run: the one that was built beside them.
enum Tool {
  /// What one run of the tool left behind.
  struct Outcome: Sendable {
    /// The exit code.
    let code: Int32
    /// What stood on standard output.
    let output: String
    /// What stood on standard error.
    let errors: String

    /// The one JSON object on standard output; throws when anything else stands there.
    var json: JSON {
      get throws {
        let json = try JSON(parsing: output)
        guard case .object = json, output.hasSuffix("}\n"), !output.dropLast().contains("\n") else {
          throw ToolError.notOneObject(output)
        }
        return json
      }
    }

    /// Standard output without the end of its last line.
    var line: String { output.hasSuffix("\n") ? String(output.dropLast()) : output }
  }

  private enum ToolError: Error {
    case notFound(searched: [String])
    case notOneObject(String)
  }

  /// An executable's place: the test bundle lies beside it, or in a folder beside it.
  static func executable(_ name: String = "rejoin") throws -> URL {
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") } + [Bundle.main.bundlePath]
    var searched: [String] = []
    for bundle in bundles {
      var folder = URL(fileURLWithPath: bundle)
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent(name)
        if isProgram(candidate) { return candidate }
        searched.append(candidate.path)
      }
    }
    throw ToolError.notFound(searched: searched)
  }

  private static func isProgram(_ url: URL) -> Bool {
    let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
    return type == .typeRegular && FileManager.default.isExecutableFile(atPath: url.path)
  }

  /// Runs the tool in `folder` and waits for its end.
  static func run(_ arguments: [String], in folder: URL, input: String = "") async throws -> Outcome {
    try await run(executable(), arguments, in: folder, input: input)
  }

  /// Runs an example in `folder` and waits for its end.
  static func runExample(_ name: String, _ arguments: [String], in folder: URL) async throws -> Outcome {
    try await run(executable(name), arguments, in: folder)
  }

  /// Runs a script for the shell in `folder`, with the tool on its path, and waits for its end.
  static func runScript(_ script: String, in folder: URL) async throws -> Outcome {
    var environment = ProcessInfo.processInfo.environment
    let tools = try executable().deletingLastPathComponent().path
    environment["PATH"] = "\(tools):\(environment["PATH"] ?? "/usr/bin:/bin")"
    let shell = URL(fileURLWithPath: "/bin/sh")
    return try await run(shell, ["-e", "-c", script], in: folder, environment: environment)
  }

  private static func run(
    _ program: URL, _ arguments: [String], in folder: URL, input: String = "",
    environment: [String: String]? = nil
  ) async throws -> Outcome {
    try await Process.turns.take {
      try await runInTurn(program, arguments, in: folder, input: input, environment: environment)
    }
  }

  private static func runInTurn(
    _ program: URL, _ arguments: [String], in folder: URL, input: String, environment: [String: String]?
  ) async throws -> Outcome {
    let name = UUID().uuidString
    let files = ["in", "out", "err"].map { folder.appendingPathComponent(".\(name).\($0)") }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    for file in files { try Data(input.utf8).write(to: file) }
    let given = try FileHandle(forReadingFrom: files[0])
    let output = try FileHandle(forWritingTo: files[1])
    let errors = try FileHandle(forWritingTo: files[2])
    // Foundation keeps processes that have ended, and with them these files.
    defer { for file in [given, output, errors] { try? file.close() } }
    try output.truncate(atOffset: 0)
    try errors.truncate(atOffset: 0)

    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let environment { process.environment = environment }
    process.currentDirectoryURL = folder
    process.standardInput = given
    process.standardOutput = output
    process.standardError = errors
    try await process.runToEnd()
    return Outcome(
      code: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
  }
}
