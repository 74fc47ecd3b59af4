import Foundation
package import RejoinCore

/// The lattice in another language, as a process that answers line by line; see `Server/lattice.py`.
package final class LatticeProcess {
  /// What it said in place of an answer.
  package struct Refused: Error {
    /// The word for it.
    package let error: String
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending: [UInt8] = []

  /// Starts it.
  package init() throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-B", "lattice.py"]
    process.currentDirectoryURL = TestServer.sources
    process.standardInput = input
    process.standardOutput = output
    try process.runAlone()
  }

  /// Forgets everything.
  package func reset(_ dataset: DatasetID) throws {
    try ask(["do": "reset", "dataset": .string(dataset.description)])
  }

  /// Takes in a delta.
  ///
  /// - Throws: ``Refused``.
  package func merge(_ delta: Delta) throws { try ask(["do": "merge", "delta": delta.json]) }

  /// What a replica with this vector lacks.
  package func delta(since vector: VersionVector) throws -> Delta {
    let members = vector.entries.map {
      JSON.Member($0.replica.description, .string($0.time.description))
    }
    return try Delta(json: ask(["do": "delta", "since": .object(members)]))
  }

  /// Ends it.
  package func end() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    try output.fileHandleForReading.close()
  }

  @discardableResult
  private func ask(_ command: JSON) throws -> JSON {
    try input.fileHandleForWriting.write(contentsOf: Data(command.bytes() + [UInt8(ascii: "\n")]))
    let answer = try JSON(parsing: nextLine())
    if case .string(let error)? = answer["error"] { throw Refused(error: error) }
    return answer
  }

  private func nextLine() throws -> [UInt8] {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeSubrange(...end) }
        return Array(pending[..<end])
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Refused(error: "it has ended") }
      pending += data
    }
  }
}
