import Testing

/// What each target may import: the layers of the package, and no Foundation below the tool.
struct ImportTests {
  private static let allowed: [String: Set<String>] = [
    "RejoinCore": [],
    "Rejoin": ["RejoinCore", "Synchronization", "Observation"],
    "RejoinSQLite": ["Rejoin", "RejoinCore", "CSQLite", "Synchronization"],
    "RejoinOutbox": ["Rejoin", "RejoinCore", "Foundation", "FoundationNetworking"],
    "RejoinTesting": ["RejoinCore", "Rejoin", "FoundationEssentials", "Foundation", "Synchronization"],
    "MutantZoo": ["RejoinTesting"],
    "AccountTrackers": ["Rejoin", "RejoinCore", "RejoinOutbox", "Observation", "Synchronization"],
    "RejoinCLI": [
      "AccountTrackers", "Rejoin", "RejoinCore", "RejoinOutbox", "RejoinSQLite", "RejoinTesting",
      "Foundation", "FoundationEssentials", "Synchronization",
    ],
  ]

  /// The one file that asks the operating system for time and randomness.
  private static let systemFile = "Sources/Rejoin/Ports/SystemEnvironment.swift"
  private static let systemModules: Set<String> = ["Glibc", "Darwin", "Musl"]

  @Test func `a target imports only what its row of the table allows`() {
    report(Repository.files(in: ["Sources"], endings: [".swift"]).flatMap(Self.findings))
  }

  @Test func `an import that is not allowed is found, however it is written`() {
    let source = """
      import RejoinCore
      @_exported public import Foundation
      import struct Foundation.URL
      // import Foundation
      #if canImport(Glibc)
      import Glibc
      #endif
      """
    #expect(Self.lines(of: "Sources/Rejoin/A.swift", source) == [2, 3, 6])
    #expect(Self.lines(of: "Sources/RejoinCore/A.swift", source) == [1, 2, 3, 6])
    #expect(Self.lines(of: Self.systemFile, source) == [2, 3])
    #expect(Self.lines(of: Self.systemFile, "#if os(Linux)\nimport Glibc\n#endif") == [2])
    #expect(Self.lines(of: "Sources/Unheard/A.swift", "let a = 1") == [1])
  }

  private static func lines(of path: String, _ text: String) -> [Int] {
    findings(in: SourceFile(path: path, text: text)).map(\.line)
  }

  private static func findings(in file: SourceFile) -> [Finding] {
    let target = file.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    guard let allowed = allowed[target] else {
      return [
        Finding(path: file.path, line: 1, message: "target \(target) has no row in the table of imports")
      ]
    }
    var condition = ""
    return zip(1..., file.swift.code).compactMap { number, line in
      if line.trimmed.hasPrefix("#") { condition = line }
      guard let module = importedModule(line), !allowed.contains(module) else { return nil }
      let isConditional = condition.occurs("canImport(\(module))") { _, _ in true }
      if file.path == systemFile, systemModules.contains(module), isConditional { return nil }
      return Finding(path: file.path, line: number, message: "\(target) may not import \(module)")
    }
  }

  /// The module that a line imports, after any attributes and access level, before any submodule or symbol.
  private static func importedModule(_ line: String) -> String? {
    let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    let kinds: Set<Substring> = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"]
    var words = line.split(separator: " ")[...]
    while let first = words.first, first.hasPrefix("@") || levels.contains(first) { words.removeFirst() }
    guard words.popFirst() == "import", let next = words.popFirst() else { return nil }
    let module = kinds.contains(next) ? words.first ?? next : next
    return module.split(separator: ".").first.map(String.init)
  }
}
