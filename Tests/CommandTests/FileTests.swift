import Foundation
import RejoinCore
import Testing

/// Which files the tool takes for a replica, and which it leaves alone.
struct FileTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test(arguments: [
    ["set", "no", "c", id, "x=1"], ["set", "no", "c", "new", "x=1"], ["get", "no", "c", id],
    ["list", "no", "c"],
    ["delete", "no", "c", id], ["restore", "no", "c", id], ["append", "no", "log", "{}"],
    ["log", "no", "log"],
    ["status", "no"], ["sync", "no", "a"], ["sync", "a", "no"],
    ["delta", "no", "--since", "empty", "-o", "out"],
    ["delta", "a", "--since", "no", "-o", "out"], ["merge", "no", "in"], ["merge", "a", "in"],
    ["import", "no", "c", "in"], ["import", "a", "c", "in"], ["export", "no", "c", "-"],
    ["export", "a", "c", "no/out"], ["doctor", "no"], ["explain", "no", "c", id, "x"],
  ])
  func `a missing file ends with code 3 and is not made`(words: [String]) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await Tool.run(words, in: workspace.folder)
      #expect(outcome.code == 3)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains(words.contains("no") ? "no" : words.contains("in") ? "in" : "no/out"))
      #expect(!workspace.has("no") && !workspace.has("out") && !workspace.has("in"))
      #expect(try await Tool.run(words + ["--json"], in: workspace.folder).json["error"]?["exit"] == 3)
    }
  }

  @Test func `a text file, an empty file and a folder are no replicas and stay as they are`() async throws {
    try await Workspace.with { workspace in
      try workspace.write("Dear diary\n", to: "diary.txt")
      try workspace.write("", to: "empty")
      try FileManager.default.createDirectory(
        at: workspace.folder.appendingPathComponent("folder"), withIntermediateDirectories: false)
      for file in ["diary.txt", "empty", "folder"] {
        let outcome = try await workspace.fail(3, "status", file)
        #expect(outcome.errors.contains(file))
        try await workspace.fail(3, "set", file, "c", "new", "x=1")
        try await workspace.fail(3, "sync", file, file + "2")
        try await workspace.fail(1, "init", file)
      }
      #expect(try workspace.bytes(of: "diary.txt") == Array("Dear diary\n".utf8))
      #expect(try workspace.bytes(of: "empty").isEmpty)
    }
  }

  @Test func `init refuses a file that exists, also when that is a replica`() async throws {
    try await Workspace.with { workspace in
      let made = try await workspace.succeed("init", "a", "--json").json
      try await workspace.fail(1, "init", "a")
      #expect(try await workspace.succeed("status", "a", "--json").json["replica"] == made["replica"])
      try await workspace.fail(3, "init", "no/such/folder/a")
    }
  }

  @Test func `a data set's name gives one id to replicas made apart`() async throws {
    try await Workspace.with { workspace in
      let first = try await workspace.succeed("init", "a", "--dataset", "é", "--json").json
      let second = try await workspace.succeed("init", "b", "--dataset", "é", "--json").json
      let decomposed = try await workspace.succeed("init", "c", "--dataset", "e\u{301}", "--json").json
      #expect(first["dataset"] == .string(DatasetID(name: "é").description))
      #expect(first["dataset"] == second["dataset"])
      #expect(first["dataset"] != decomposed["dataset"])
      #expect(first["replica"] != second["replica"])
    }
  }

  @Test func `nothing is written over the replica itself`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", "new", "x=1")
      let before = try await workspace.succeed("status", "a", "--json").json
      try await workspace.fail(1, "delta", "a", "--since", "empty", "-o", "a")
      try await workspace.fail(1, "delta", "a", "--since", "b", "-o", "./b")
      try await workspace.fail(1, "export", "a", "c", "./a")
      #expect(try await workspace.succeed("status", "a", "--json").json == before)
    }
  }
}
