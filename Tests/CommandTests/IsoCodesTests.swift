import Foundation
import RejoinCore
import Testing

/// Acceptance with real data: the languages of ISO 639-3, shared by three replicas in a ring that edit them.
struct IsoCodesTests {
  private static let source = "/usr/share/iso-codes/json/iso_639-3.json"
  private static let editCount = 500

  /// Whether the data is there.
  ///
  /// Under CI it has to be; elsewhere the test is skipped without it.
  private static var isAvailable: Bool {
    FileManager.default.fileExists(atPath: source) || ProcessInfo.processInfo.environment["CI"] == "true"
  }

  @Test(.enabled(if: isAvailable, "iso-codes is not installed: apt-get install iso-codes"))
  func `what goes round a ring of three replicas comes out as it went in, but for the edits`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b", "c")
      let imported = try await workspace.succeed(
        "import", "a", "languages", Self.source, "--at", "/639-3", "--id", "alpha_3", "--json")
      var expected = try Self.languages()
      #expect(try imported.json["inserted"] == .int(Int64(expected.count)))
      try await syncRing(workspace)

      let codes = expected.keys.sorted()
      try #require(codes.count > Self.editCount)
      for (file, parity) in [("b", 0), ("c", 1)] {
        let edited = codes.enumerated().filter { $0.offset % 2 == parity }.prefix(Self.editCount / 2)
        try edit(edited.map(\.element), in: &expected, by: file, writing: "edits-\(file)", workspace)
        let outcome = try await workspace.succeed(
          "import", file, "languages", "edits-\(file)", "--id", "alpha_3", "--json")
        #expect(try outcome.json["updated"] == .int(Int64(Self.editCount / 2)))
      }
      try await syncRing(workspace)
      try await syncRing(workspace)

      for file in ["a", "b", "c"] {
        try await workspace.succeed("export", file, "languages", "out-\(file)", "--without-id")
        #expect(try workspace.bytes(of: "out-\(file)") == workspace.bytes(of: "out-a"))
        #expect(try await workspace.succeed("doctor", file, "--json").json["findings"] == [])
      }
      let exported = try Self.objects(JSONSerialization.jsonObject(with: Data(workspace.bytes(of: "out-a"))))
      #expect(exported == expected)
    }
  }

  /// Each meets the next one, all at the same digest in the end after two rounds.
  private func syncRing(_ workspace: Workspace) async throws {
    for (file, peer) in [("a", "b"), ("b", "c"), ("c", "a")] {
      let json = try await workspace.succeed("sync", file, peer, "--json").json
      #expect(json["vectors_equal"] == true && json["digests_equal"] == true)
      #expect(json["file"]?["conflicts"] == [] && json["peer"]?["conflicts"] == [])
    }
  }

  /// Changes the names of languages in what is expected, and writes the edits as a file to import.
  private func edit(
    _ codes: [String], in expected: inout [String: [String: String]], by file: String, writing output: String,
    _ workspace: Workspace
  ) throws {
    var edits: [JSON] = []
    for code in codes {
      let name = "\(expected[code]?["name"] ?? "") (\(file), é and e\u{301})"
      expected[code]?["name"] = name
      edits.append(["alpha_3": .string(code), "name": .string(name)])
    }
    try workspace.write(JSON.array(edits).text(), to: output)
  }

  /// The original, read by Foundation and not by this library.
  private static func languages() throws -> [String: [String: String]] {
    let data = try Data(contentsOf: URL(fileURLWithPath: source))
    let whole = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return try objects(whole["639-3"] ?? [])
  }

  /// Objects of text by their code.
  private static func objects(_ json: Any) throws -> [String: [String: String]] {
    let list = try #require(json as? [[String: String]])
    return Dictionary(list.map { ($0["alpha_3"] ?? "", $0) }, uniquingKeysWith: { first, _ in first })
  }
}
