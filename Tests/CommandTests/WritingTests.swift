import Foundation
import RejoinCore
import RejoinSQLite
import Testing

/// What the tool writes to, and what it leaves alone.
struct WritingTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
  private static let exported = "[\n  {\n    \"id\": \"\(id)\",\n    \"x\": 1\n  }\n]\n"

  @Test func `a pipe takes the bytes and stays a pipe`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      let outcome = try await Tool.runScript(
        """
        mkfifo pipe
        cat pipe > received &
        rejoin export a c pipe
        wait
        test -p pipe
        """, in: workspace.folder)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(try workspace.bytes(of: "received") == Array(Self.exported.utf8))
    }
  }

  @Test func `the standard output by its name is written on from where it is`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      let outcome = try await Tool.runScript(
        """
        echo before > out
        rejoin export a c /dev/stdout >> out
        rejoin export a c /dev/stdout | cat
        """, in: workspace.folder)
      let written = "\(Self.exported)Wrote 1 record to /dev/stdout.\n"
      #expect(outcome.code == 0 && outcome.output == written, "\(outcome.errors)")
      #expect(try workspace.bytes(of: "out") == Array("before\n\(written)".utf8))
    }
  }

  @Test func `a symbolic link stays, and what it leads to is replaced`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try workspace.write("old", to: "file")
      let outcome = try await Tool.runScript("ln -s file link; ln -s made dangling", in: workspace.folder)
      #expect(outcome.code == 0)
      try await workspace.succeed("export", "a", "c", "link")
      let dead = try await workspace.fail(3, "export", "a", "c", "dangling")
      #expect(dead.errors.contains("dangling is a symbolic link that leads nowhere"))
      #expect(try await Tool.runScript("test -L link; test -L dangling", in: workspace.folder).code == 0)
      #expect(try workspace.bytes(of: "file") == Array(Self.exported.utf8))
      #expect(!workspace.has("made"))
    }
  }

  @Test(arguments: ["folder", "folder/", "link", "nowhere/"])
  func `a folder is refused in one sentence`(path: String) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      #expect(try await Tool.runScript("mkdir folder; ln -s folder link", in: workspace.folder).code == 0)
      let outcome = try await workspace.fail(3, "delta", "a", "--since", "empty", "-o", path)
      #expect(outcome.errors == "rejoin: \(path) is a folder; name a file to write to.\n")
      try await workspace.fail(3, "export", "a", "c", path)
      #expect(!workspace.has("nowhere"))
    }
  }

  @Test func `a SQLite database is never written over, whosever it is`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try workspace.execute("CREATE TABLE t(x)", in: "other")
      for path in ["b", "other"] {
        let before = try workspace.bytes(of: path)
        let outcome = try await workspace.fail(1, "export", "a", "c", path)
        #expect(outcome.errors.contains("\(path) is a SQLite database"))
        try await workspace.fail(1, "delta", "a", "--since", "empty", "-o", path)
        #expect(try workspace.bytes(of: path) == before)
      }
      try workspace.write("SQLite format", to: "short")
      try await workspace.succeed("export", "a", "c", "short")
    }
  }

  @Test func `an empty path is wrong usage`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.fail(2, "delta", "a", "--since", "empty", "-o", "")
    }
  }
}
