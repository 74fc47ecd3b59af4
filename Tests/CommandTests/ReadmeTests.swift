import Foundation
import RejoinCore
import Testing

/// The commands of the README do what it says when they are pasted.
struct ReadmeTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the block of commands works as it stands`() async throws {
    let readme = try String(
      contentsOf: Self.repository.appendingPathComponent("README.md"), encoding: .utf8)
    let lines = try #require(Self.block(of: readme))
    #expect(lines.prefix(2) == ["swift build", #"alias rejoin="$PWD/.build/debug/rejoin""#])
    try await Workspace.with { workspace in
      let products = workspace.folder.appendingPathComponent(".build/debug")
      try FileManager.default.createDirectory(at: products, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: products.appendingPathComponent("rejoin"), withDestinationURL: Tool.executable())
      let script = lines.dropFirst().joined(separator: "\n")
      let outcome = try await Tool.runScript(script, in: workspace.folder)
      #expect(outcome.code == 0)
      #expect(outcome.errors.isEmpty, "\(outcome.errors)")
      let last = outcome.output.split(separator: "\n").last ?? ""
      #expect(last.hasSuffix("|ada@example.com"), "\(outcome.output)")
      #expect(RecordID(String(last.prefix(36))) != nil, "\(outcome.output)")
    }
  }

  /// The lines of the block for the shell that calls the tool by its name.
  private static func block(of readme: String) -> [String]? {
    readme.components(separatedBy: "```sh\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first?.components(separatedBy: "\n") }
      .first { lines in lines.contains { $0.hasPrefix("rejoin ") } }
  }
}
