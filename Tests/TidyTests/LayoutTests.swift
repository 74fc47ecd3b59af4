import Testing

/// The shape of the repository.
struct LayoutTests {
  /// The most lines that a file of Sources has.
  ///
  /// This number may only shrink.
  private static let longestFile = 350

  private static let topLevel: Set<String> = ["Package.swift", "Sources", "Tests", "Examples", "README.md"]

  @Test func `these tests see the repository`() {
    for path in ["Package.swift", "Sources/RejoinCore/Limits.swift", "Tests/TidyTests/LayoutTests.swift"] {
      #expect(Repository.files.contains { $0.path == path }, "\(path) was not found")
    }
  }

  @Test func `no file of Sources is longer than the limit`() {
    report(Repository.files(in: ["Sources"], endings: [".swift", ".h"]).flatMap(Self.lengthFindings))
  }

  @Test func `the root holds the package, three folders, the README and dotfiles`() {
    report(Self.topLevelFindings(in: Repository.topLevel))
  }

  @Test func `the package depends on no other`() throws {
    let manifest = try #require(Repository.file(at: "Package.swift"))
    report(Self.dependencyFindings(in: manifest))
  }

  @Test func `a long file, a stray file and a dependency are found`() {
    let line = "let a = 1\n"
    let limit = SourceFile(path: "A.swift", text: String(repeating: line, count: Self.longestFile))
    let longer = SourceFile(path: "A.swift", text: String(repeating: line, count: Self.longestFile + 1))
    #expect(Self.lengthFindings(in: limit).isEmpty)
    #expect(Self.lengthFindings(in: longer).map(\.line) == [Self.longestFile + 1])

    #expect(Self.topLevelFindings(in: [".ci", "README.md", "notes.txt"]).map(\.path) == ["notes.txt"])

    let manifest = "let package = Package(\n  dependencies: [\n    .package(url: \"a\")])\n// .package(url:)"
    #expect(Self.dependencyFindings(in: SourceFile(path: "Package.swift", text: manifest)).map(\.line) == [3])
  }

  private static func lengthFindings(in file: SourceFile) -> [Finding] {
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    guard count > longestFile else { return [] }
    return [
      Finding(path: file.path, line: count, message: "\(count) lines; at most \(longestFile) are allowed")
    ]
  }

  private static func topLevelFindings(in names: [String]) -> [Finding] {
    names.filter { !$0.hasPrefix(".") && !topLevel.contains($0) }
      .map { Finding(path: $0, line: 1, message: "does not belong into the root of the repository") }
  }

  private static func dependencyFindings(in manifest: SourceFile) -> [Finding] {
    manifest.findings(in: manifest.swift.code, "a dependency on another package") { line in
      line.occurs(".package(") { _, _ in true }
    }
  }
}
