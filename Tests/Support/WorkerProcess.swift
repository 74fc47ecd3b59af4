import Foundation

/// A child process of these tests, built beside them.
package final class WorkerProcess {
  private let process = Process()
  private let output = Pipe()
  private var pending: [UInt8] = []

  /// Starts a child.
  package init(_ arguments: [String]) throws {
    process.executableURL = try WorkerProcess.executable()
    process.arguments = arguments
    process.standardOutput = output
    try process.runAlone()
  }

  private static func executable() throws -> URL {
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") } + [Bundle.main.bundlePath]
    for bundle in bundles {
      var folder = URL(fileURLWithPath: bundle)
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent("TestWorker")
        if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
          return candidate
        }
      }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  /// The next whole line that the child prints; nil when it has ended.
  package func nextLine() -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { return nil }
      pending += data
    }
  }

  /// Kills the child at once, and returns what it had printed by then.
  package func kill() -> [String] {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    process.waitUntilExit()
    return lines
  }

  /// Waits for the child's end and says its exit code.
  package func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
