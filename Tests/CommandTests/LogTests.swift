import RejoinCore
import Testing

/// Appending to logs and reading them.
struct LogTests {
  @Test func `entries read in the order of their time and hold what was given`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      let now = ["2000", "1000", "3000"]
      for (index, time) in now.enumerated() {
        let file = index == 1 ? "b" : "a"
        let id = try await workspace.succeed(
          "append", file, "activity", #"{"n":\#(index),"big":9007199254740993,"":""}"#, "--now", time)
        #expect(EntryID(id.line) != nil)
      }
      try await workspace.succeed("sync", "a", "b", "--now", "4000")
      let entries =
        try await workspace.succeed("log", "a", "activity", "--json").json["entries"]?.elements ?? []
      #expect(entries.map { $0["values"]?["n"] } == [1, 0, 2])
      #expect(entries.map { $0["milliseconds"] } == [1000, 2000, 3000])
      #expect(entries.first?["values"]?["big"] == ["$int": "9007199254740993"])
      #expect(entries.first?["values"]?.names == ["", "big", "n"])
      let lines = try await workspace.succeed("log", "b", "activity").output.split(separator: "\n")
      #expect(lines.map { $0.split(separator: " ").first } == entries.map { ($0["stamp"]?.text ?? "")[...] })
    }
  }

  @Test func `a log that nobody wrote to is empty`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      #expect(try await workspace.succeed("log", "a", "activity").output.isEmpty)
      #expect(try await workspace.succeed("log", "a", "activity", "--json").json["entries"] == [])
    }
  }

  @Test func `an entry with one name that starts with a dollar sign has to be wrapped`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.fail(2, "append", "a", "activity", #"{"$price":5}"#)
      try await workspace.succeed("append", "a", "activity", #"{"$map":{"$price":5}}"#)
      let entries = try await workspace.succeed("log", "a", "activity", "--json").json["entries"]?.elements
      #expect(entries?.first?["values"] == ["$price": 5])
    }
  }
}
