import Foundation
import RejoinCore
import Testing

/// `rejoin demo` shows what the README says it shows.
struct DemoTests {
  @Test func `one seed tells one story, and it is the one in the README`() async throws {
    try await Workspace.with { workspace in
      let data = Self.repository.appendingPathComponent("Examples/Data").path
      let outcome = try await workspace.succeed("demo", "--seed", "1", "--data", data)
      let readme = try String(
        contentsOf: Self.repository.appendingPathComponent("README.md"), encoding: .utf8)
      #expect(readme.contains("```text\n\(outcome.line)\n```"), "README.md shows another output of the demo")
      #expect(outcome.line.contains("Converged: one state, one digest."))
    }
  }

  @Test func `another seed converges too and leaves its replicas where it is told`() async throws {
    try await Workspace.with { workspace in
      let data = Self.repository.appendingPathComponent("Examples/Data").path
      let json = try await workspace.succeed(
        "demo", "--seed", "2", "--data", data, "--keep", "kept", "--json"
      ).json
      #expect(json["converged"] == true)
      let digests = ["phone", "tablet", "laptop"].map { json["digests"]?[$0] }
      #expect(Set(digests).count == 1 && digests[0] != nil)
      for name in ["phone", "tablet", "laptop"] {
        let doctor = try await workspace.succeed("doctor", "kept/\(name).sqlite", "--json").json
        #expect(doctor["findings"] == [] && doctor["digest"] == digests[0])
      }
      // Never over what is there.
      let again = try await workspace.run("demo", "--data", data, "--keep", "kept")
      #expect(again.code == 1)
    }
  }

  @Test func `a folder without exports is named`() async throws {
    try await Workspace.with { workspace in
      let outcome = try await workspace.run("demo", "--data", "nowhere")
      #expect(outcome.code == 3)
      #expect(outcome.errors.contains("nowhere"))
    }
  }

  @Test(arguments: ["x", "-1", "1.5", ""])
  func `a seed is a whole number`(seed: String) async throws {
    try await Workspace.with { workspace in
      let outcome = try await workspace.run("demo", "--seed", seed)
      #expect(outcome.code == 2)
    }
  }

  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
