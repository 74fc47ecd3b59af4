import Testing

/// The README shows only what works.
struct ReadmeTests {
  private static let commands = ["Examples/setup && swift run rejoin demo", "Examples/setup && swift test"]

  @Test func `the README names the command for the demo and the one for the tests`() throws {
    report(Self.commandFindings(in: try #require(Repository.file(at: "README.md"))))
  }

  @Test func `every Swift block of the README stands in an example that the build compiles`() throws {
    let readme = try #require(Repository.file(at: "README.md"))
    let manifest = try #require(Repository.file(at: "Package.swift"))
    let folders = Self.exampleFolders(of: manifest)
    #expect(!folders.isEmpty, "Package.swift: no target below Examples")
    report(Self.blockFindings(in: readme, examples: Repository.files(in: folders, endings: [".swift"])))
  }

  @Test func `a missing command and a block without an example are found`() {
    let readme = SourceFile(
      path: "README.md",
      text: "# A\n```swift\nlet a = 1\n  let b = 2\n```\n```sh\nswift test\n```\n```swift\nlet b = 1\n```")
    let example = SourceFile(path: "Examples/A/A.swift", text: "func f() {\n    let a = 1\n    let b = 2\n}")
    #expect(Self.commandFindings(in: readme).count == 2)
    #expect(Self.blockFindings(in: readme, examples: [example]).map(\.line) == [9])
    #expect(Self.blockFindings(in: readme, examples: []).map(\.line) == [2, 9])
  }

  private static func commandFindings(in readme: SourceFile) -> [Finding] {
    commands.filter { command in !readme.lines.contains { $0.trimmed == command } }
      .map { Finding(path: readme.path, line: 1, message: "does not name the command: \($0)") }
  }

  /// The folders of the manifest's targets that lie below Examples.
  private static func exampleFolders(of manifest: SourceFile) -> [String] {
    manifest.lines.compactMap { line in
      let parts = line.split(separator: "\"").map(String.init)
      guard parts.count > 1, parts[0].trimmed == "path:", parts[1].hasPrefix("Examples/") else { return nil }
      return parts[1]
    }
  }

  private static func blockFindings(in readme: SourceFile, examples: [SourceFile]) -> [Finding] {
    let candidates = examples.map { $0.lines.map(\.trimmed) }
    return swiftBlocks(of: readme)
      .filter { block in !candidates.contains { contains(block.lines, in: $0) } }
      .map {
        Finding(path: readme.path, line: $0.start, message: "a block that stands in no compiled example")
      }
  }

  /// The blocks fenced as Swift: the number of the line that opens each, and its lines without indentation.
  private static func swiftBlocks(of readme: SourceFile) -> [(start: Int, lines: [String])] {
    var blocks: [(start: Int, lines: [String])] = []
    var fence: String?
    for (number, line) in zip(1..., readme.lines.map(\.trimmed)) {
      if fence == nil, line.hasPrefix("```") {
        fence = line
        if line == "```swift" { blocks.append((number, [])) }
      } else if line == "```" {
        fence = nil
      } else if fence == "```swift" {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks
  }

  /// Whether `block` stands in `lines` as one run.
  private static func contains(_ block: [String], in lines: [String]) -> Bool {
    guard !block.isEmpty, block.count <= lines.count else { return block.isEmpty }
    return (0...(lines.count - block.count)).contains { lines[$0..<($0 + block.count)].elementsEqual(block) }
  }
}
