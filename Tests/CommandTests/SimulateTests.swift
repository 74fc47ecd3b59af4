import Foundation
import RejoinCore
import Testing

/// `rejoin simulate`: one seed, one history, one page.
struct SimulateTests {
  @Test func `one seed tells one history, as text and as JSON`() async throws {
    try await Workspace.with { workspace in
      let options = ["--replicas", "4", "--steps", "100", "--seed", "5", "--loss", "10", "--crash", "2"]
      func simulate(_ more: String...) async throws -> Tool.Outcome {
        try await Tool.run(["simulate"] + options + more, in: workspace.folder, input: "")
      }
      let text = try await simulate().line
      #expect(text.contains("Seed 5: 4 replicas, 100 steps"))
      #expect(text.contains("Every promise was kept."))
      let json = try await simulate("--json").json
      #expect(json["replicas"] == 4)
      #expect(json["steps"] == 100)
      #expect(json["violation"] == .null)
      guard case .string(let hash) = json["hash"] else { throw Missing() }
      #expect(text.contains("hash \(hash)."))
      let other = try await simulate("--topology", "star", "--json").json
      #expect(other["hash"] != json["hash"])
    }
  }

  @Test func `its speed is told when asked for, and changes nothing else`() async throws {
    try await Workspace.with { workspace in
      func simulate(_ more: String...) async throws -> Tool.Outcome {
        try await Tool.run(["simulate", "--steps", "100"] + more, in: workspace.folder, input: "")
      }
      let plain = try await simulate()
      let timed = try await simulate("--speed")
      #expect(timed.output.hasPrefix(plain.output))
      let speed = timed.output.dropFirst(plain.output.count)
      #expect(speed.contains(" simulated hours and ") && speed.hasSuffix(" messages a second.\n"))
      let json = try await simulate("--speed", "--json").json
      guard case .int(let meeting) = json["meetingMessages"], case .int = json["processorMilliseconds"] else {
        throw Missing()
      }
      #expect(meeting > 0)
      #expect(try await simulate("--json").json["processorMilliseconds"] == nil)
    }
  }

  @Test func `a page is written, and never over a replica`() async throws {
    try await Workspace.with { workspace in
      try await workspace.succeed("simulate", "--steps", "50", "--report", "page.html")
      let page = try String(contentsOf: workspace.folder.appendingPathComponent("page.html"), encoding: .utf8)
      #expect(page.hasPrefix("<!DOCTYPE html>"))
      #expect(page.contains("Every promise was kept."))
      try await workspace.succeed("init", "replica.sqlite", "--dataset", "d")
      let refused = try await workspace.run("simulate", "--steps", "5", "--report", "replica.sqlite")
      #expect(refused.code == 1)
    }
  }

  @Test(arguments: [
    ["--replicas", "0"], ["--replicas", "101"], ["--steps", "x"], ["--steps", "0"], ["--loss", "91"],
    ["--loss", "60", "--duplicate", "40"], ["--skew", "150001"], ["--skew", "-1"], ["--crash", "1.5"],
    ["--seed", "-1"], ["--topology", "tree"], ["--edits", "0"],
  ])
  func `what makes no sense is wrong usage`(options: [String]) async throws {
    try await Workspace.with { workspace in
      let outcome = try await Tool.run(["simulate"] + options, in: workspace.folder, input: "")
      #expect(outcome.code == 2, "\(options)")
      #expect(outcome.errors.contains("takes"))
    }
  }

  @Test func `what was found is told even if the page cannot be written`() async throws {
    try await Workspace.with { workspace in
      let outcome = try await workspace.run("simulate", "--steps", "5", "--report", "nowhere/page.html")
      #expect(outcome.code == 3)
      #expect(outcome.output.contains("Every promise was kept."))
      #expect(outcome.errors.contains("nowhere"))
    }
  }

  private struct Missing: Error {}
}
