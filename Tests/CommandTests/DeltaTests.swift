import Foundation
import RejoinCore
import Testing

/// Deltas that travel as files.
struct DeltaTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `a delta brings what its receiver lacks, and brings it once`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      for value in 1...5 { try await workspace.succeed("set", "a", "c", Self.id, "x=\(value)") }
      try await workspace.succeed("append", "a", "log", "{}")
      let written = try await workspace.succeed("delta", "a", "--since", "b", "-o", "out", "--json").json
      #expect(written["registers"] == 1 && written["records"] == 1 && written["entries"] == 1)
      #expect(written["bytes"] == .int(Int64(try workspace.bytes(of: "out").count)))
      let status = try await workspace.succeed("status", "a", "--json").json
      #expect(written["from"] == [:] && written["through"] == status["vector"])
      let merged = try await workspace.succeed("merge", "b", "out", "--json").json
      #expect(merged["records_inserted"] == 1 && merged["registers_applied"] == 1)
      let again = try await workspace.succeed("merge", "b", "out", "--json").json
      #expect(again["registers_applied"] == 0 && again["entries_applied"] == 0)
      #expect(try await workspace.succeed("status", "b", "--json").json["digest"] == status["digest"])
    }
  }

  @Test func `since takes a vector, also the one that status and another delta print`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      let status = try await workspace.succeed("status", "a", "--json").json
      let (replica, time) = (status["replica"]?.text ?? "", status["last_time"]?.text ?? "")
      try await workspace.succeed("set", "a", "c", Self.id, "y=2")
      let delta = try await workspace.succeed(
        "delta", "a", "--since", "\(replica):\(time)", "-o", "out", "--json")
      #expect(try delta.json["registers"] == 1)
      let whole = try await workspace.succeed("delta", "a", "--since", "empty", "--output", "out", "--json")
      #expect(try whole.json["registers"] == 2)
      for vector in [
        "\(replica):", "\(replica):\(time),", "\(replica):\(time),\(replica):\(time)", "x:y", "",
      ] {
        try await workspace.fail(3, "delta", "a", "--since", vector, "-o", "out2")
      }
      #expect(!workspace.has("out2"))
    }
  }

  @Test func `a time that no clock issues is wrong usage`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      for time in ["8000000000000000", "ffffffffffffffff"] {
        let vector = "0000000000000001:\(time)"
        let outcome = try await workspace.fail(2, "delta", "a", "--since", vector, "-o", "out")
        #expect(outcome.errors.contains("--since has a time beyond 7fffffffffffffff"))
      }
      #expect(!workspace.has("out"))
      try await workspace.succeed("delta", "a", "--since", "0000000000000001:7fffffffffffffff", "-o", "out")
    }
  }

  @Test func `a gap is refused with a sentence that says what to do`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b", "c")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try await workspace.succeed("sync", "a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=2")
      try await workspace.succeed("delta", "a", "--since", "b", "-o", "out")
      let outcome = try await workspace.fail(1, "merge", "c", "out")
      #expect(outcome.errors.contains("lacks what comes before this delta"))
      #expect(try await workspace.succeed("list", "c", "c").output.isEmpty)
      try await workspace.succeed("merge", "b", "out")
    }
  }

  @Test func `a delta cut short, altered or of something else is refused and changes nothing`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, #"x="some text""#, "y=2")
      try await workspace.succeed("delta", "a", "--since", "empty", "-o", "whole")
      let whole = try workspace.bytes(of: "whole")
      let before = try await workspace.succeed("status", "b", "--json").json
      for count in stride(from: 0, to: whole.count, by: 7) {
        try Data(whole.prefix(count)).write(to: workspace.folder.appendingPathComponent("cut"))
        let outcome = try await workspace.run("merge", "b", "cut")
        #expect(outcome.code == 1 && outcome.errors.contains("cut: "), "\(count) bytes")
      }
      for index in stride(from: 0, to: whole.count, by: 11) {
        var altered = whole
        altered[index] ^= 0x40
        try Data(altered).write(to: workspace.folder.appendingPathComponent("altered"))
        #expect(try await workspace.run("merge", "b", "altered").code == 1, "byte \(index)")
      }
      try workspace.write("Dear diary\n", to: "diary.txt")
      try await workspace.fail(1, "merge", "b", "diary.txt")
      try await workspace.fail(1, "merge", "b", "a")
      #expect(try await workspace.succeed("status", "b", "--json").json == before)
    }
  }

  @Test func `a delta of another data set is refused`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("init", "other", "--dataset", "other")
      try await workspace.succeed("set", "a", "c", "new", "x=1")
      try await workspace.succeed("set", "other", "c", "new", "x=1")
      try await workspace.fail(1, "delta", "a", "--since", "other", "-o", "out")
      #expect(!workspace.has("out"))
      try await workspace.succeed("delta", "a", "--since", "empty", "-o", "out")
      try await workspace.fail(1, "merge", "other", "out")
    }
  }
}
