import RejoinCore
import TestSupport
import Testing

/// Values pass through import, export, deltas and files without a bit changed.
struct ExactValuesTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  /// An array of one record that has every value but that of a newer kind, which is shown to nobody.
  private static let records: JSON = {
    let shown = AwkwardValue.all.filter { if case .unknown = $0.written { false } else { true } }
    let fields = shown.map { JSON.Member($0.name.text, $0.written.json) }
    return .array([.object(fields + [JSON.Member("id", .string(id))])])
  }()

  @Test func `what is imported is exported bit for bit, here and wherever it is sent`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b", "c")
      try workspace.write(Self.records.text(), to: "in")
      try await workspace.succeed("import", "a", "samples", "in")
      try await workspace.succeed("export", "a", "samples", "from a")
      try await workspace.succeed("import", "b", "samples", "from a")
      try await workspace.succeed("delta", "b", "--since", "c", "-o", "sent")
      try await workspace.succeed("merge", "c", "sent")
      try await workspace.succeed("export", "c", "samples", "from c")
      #expect(try workspace.bytes(of: "from c") == workspace.bytes(of: "from a"))

      let exported = try #require(try workspace.json(of: "from c").elements.first)
      #expect(exported.names.count == Self.records.elements[0].names.count)
      for value in AwkwardValue.all {
        guard let json = exported[value.name.text] else { continue }
        #expect(value.isExactly(try Value(json: json)), "\(value)")
      }
      #expect(
        try await workspace.succeed("import", "c", "samples", "from a", "--json").json["unchanged"] == 1)
    }
  }

  @Test func `a field that is null stays null, one that is absent stays absent`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let text = #"[{"id":"\#(Self.id)","null":null}]"#
      try await workspace.succeed("import", "a", "c", "-", input: text)
      let exported = try await workspace.succeed("export", "a", "c", "-").output
      #expect(try JSON(parsing: exported) == JSON(parsing: text))
      let more = #"[{"id":"\#(Self.id)","other":null}]"#
      try await workspace.succeed("import", "a", "c", "-", input: more)
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "null=null\nother=null\n")
    }
  }

  @Test func `a value that is 65 deep is refused`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let text = AwkwardValue.nested(levels: Limits.valueDepth + 1).json.text()
      try workspace.write("[{\"field\":\(text)}]", to: "in")
      #expect(try await workspace.run("import", "a", "c", "in").errors.contains("depth of a value"))
      #expect(try await workspace.run("set", "a", "c", "new", "field=\(text)").code != 0)
      #expect(try await workspace.succeed("export", "a", "c", "-").output == "[]\n")
    }
  }
}
