import Foundation
import RejoinCore
import RejoinSQLite
import Testing

/// A temporary folder in which the tool runs, with paths relative to it.
struct Workspace: Sendable {
  /// The folder.
  let folder: URL

  /// Gives `body` a new folder and removes it afterwards, whatever happens.
  static func with<Result>(_ body: (Workspace) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rejoin-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(Workspace(folder: folder))
  }

  /// Runs the tool, whatever comes out.
  func run(_ arguments: String..., input: String = "") async throws -> Tool.Outcome {
    try await Tool.run(arguments, in: folder, input: input)
  }

  /// Runs the tool, which has to succeed and keep standard error empty.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String = "", at location: SourceLocation = #_sourceLocation
  ) async throws -> Tool.Outcome {
    let outcome = try await Tool.run(arguments, in: folder, input: input)
    #expect(outcome.code == 0, "\(arguments): \(outcome.errors)", sourceLocation: location)
    #expect(outcome.errors.isEmpty, "\(arguments)", sourceLocation: location)
    return outcome
  }

  /// Runs the tool, which has to fail with `code`: a sentence on standard error, nothing on standard output, and
  /// with `--json` the same message in one object.
  @discardableResult
  func fail(
    _ code: Int32, _ arguments: String..., input: String = "", at location: SourceLocation = #_sourceLocation
  ) async throws -> Tool.Outcome {
    let outcome = try await Tool.run(arguments, in: folder, input: input)
    #expect(outcome.code == code, "\(arguments): \(outcome.errors)", sourceLocation: location)
    #expect(outcome.errors.hasPrefix("rejoin: "), "\(arguments)", sourceLocation: location)
    #expect(outcome.output.isEmpty, "\(arguments)", sourceLocation: location)
    let error = try await Tool.run(["--json"] + arguments, in: folder, input: input).json["error"]
    #expect(error?["exit"] == .int(Int64(code)), "\(arguments)", sourceLocation: location)
    guard case .string(let message)? = error?["message"] else {
      Issue.record("no message: \(arguments)", sourceLocation: location)
      return outcome
    }
    #expect(outcome.errors.hasPrefix("rejoin: \(message)\n"), "\(arguments)", sourceLocation: location)
    return outcome
  }

  /// Makes replicas of one data set.
  func makeReplicas(_ files: String...) async throws {
    for file in files { try await succeed("init", file, "--dataset", "tests") }
  }

  /// Writes a text file.
  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// Runs SQL on a replica's file, behind the library's back.
  func execute(_ sql: String, in file: String) throws {
    try SQLiteConnection(path: folder.appendingPathComponent(file).path).execute(sql)
  }

  /// The bytes of a file.
  func bytes(of name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// The JSON in a file.
  func json(of name: String) throws -> JSON { try JSON(parsing: bytes(of: name)) }

  /// Whether a file exists.
  func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }
}

extension JSON {
  /// The text of a string; empty for anything else.
  var text: String { if case .string(let text) = self { text } else { "" } }

  /// The elements of an array; none for anything else.
  var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// The names of an object in order; none for anything else.
  var names: [String] { if case .object(let members) = self { members.map(\.name) } else { [] } }
}
