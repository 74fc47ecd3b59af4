import Testing

/// Where the compiler's checks may be set aside.
struct SafetyTests {
  /// Files and folders that need memory from C or the standard library's unsafe views; each is short.
  private static let unsafePlaces = [
    "Sources/RejoinSQLite/SQLite/",
    "Sources/RejoinCore/Identity/String+Bytes.swift",
    "Sources/Rejoin/Ports/SystemEnvironment.swift",
    "Sources/Rejoin/Replica/LockedEngine.swift",
  ]

  @Test func `unsafe code stands in the listed files only`() {
    report(Repository.files(in: ["Sources", "Examples"], endings: [".swift"]).flatMap(Self.unsafeFindings))
  }

  @Test func `no type in Sources claims to be Sendable unchecked`() {
    report(Repository.files(in: ["Sources"], endings: [".swift"]).flatMap(Self.uncheckedFindings))
  }

  @Test func `unsafe and unchecked code are found, in comments and strings they are not`() {
    let unsafe = "let a = unsafe b\n// unsafe\nnonisolated(unsafe) var c = \"unsafe\"\nlet unsafeName = 1"
    #expect(Self.unsafeFindings(in: SourceFile(path: "Sources/A.swift", text: unsafe)).map(\.line) == [1, 3])
    #expect(Self.unsafeFindings(in: SourceFile(path: Self.unsafePlaces[0] + "A.swift", text: unsafe)).isEmpty)
    let unchecked = "struct A: @unchecked Sendable {}\n// @unchecked Sendable"
    #expect(
      Self.uncheckedFindings(in: SourceFile(path: "Sources/A.swift", text: unchecked)).map(\.line) == [1])
  }

  private static func unsafeFindings(in file: SourceFile) -> [Finding] {
    guard !unsafePlaces.contains(where: { file.path.hasPrefix($0) }) else { return [] }
    return file.findings(in: file.swift.code, "unsafe code outside of the files listed for it") {
      $0.containsWord("unsafe")
    }
  }

  private static func uncheckedFindings(in file: SourceFile) -> [Finding] {
    file.findings(in: file.swift.code, "@unchecked: guard the state with a Mutex instead") {
      $0.containsWord("@unchecked")
    }
  }
}
