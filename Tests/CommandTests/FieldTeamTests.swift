import Foundation
import Testing

/// The example of a field team shows what the README says it shows.
struct FieldTeamTests {
  private static let readme = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("README.md")

  @Test func `one seed is one day, and the README shows it`() async throws {
    try await Workspace.with { workspace in
      let outcome = try await Tool.runExample("FieldTeam", ["1"], in: workspace.folder)
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
      let readme = try String(contentsOf: Self.readme, encoding: .utf8)
      #expect(
        readme.contains("```text\n\(outcome.line)\n```"), "README.md shows another day:\n\(outcome.line)")
    }
  }

  @Test(arguments: 2...5)
  func `whatever the link loses, everybody agrees, and every key is applied once`(seed: Int) async throws {
    try await Workspace.with { workspace in
      let outcome = try await Tool.runExample("FieldTeam", ["\(seed)"], in: workspace.folder)
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
      for name in ["ada", "grace", "joan"] {
        #expect(outcome.output.contains("\n\(name) agrees with the server: 200 jobs, "), "\(outcome.output)")
      }
      #expect(outcome.output.contains("were applied, each exactly once;"))
      #expect(
        outcome.output.contains("joan's insert of a note (job, text): a note has 60 characters at most"))
      #expect(!outcome.output.contains("DISAGREES") && !outcome.output.contains(" 0 came again"))
      #expect(outcome.output.split(separator: "\n").count <= 25)
    }
  }

  @Test func `a page about the day is written where it is wanted`() async throws {
    try await Workspace.with { workspace in
      let outcome = try await Tool.runExample(
        "FieldTeam", ["1", "--report", "day.html"], in: workspace.folder)
      #expect(outcome.code == 0)
      let page = String(decoding: try workspace.bytes(of: "day.html"), as: UTF8.self)
      #expect(page.contains("<title>A day of a field team</title>") && page.contains("<svg"))
      #expect(page.contains("joan shortens the note that was refused"))
      let usage = try await Tool.runExample("FieldTeam", ["one"], in: workspace.folder)
      #expect(usage.output.hasPrefix("usage: "))
    }
  }
}
