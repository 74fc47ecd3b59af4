import Testing

/// What work in progress leaves behind.
///
/// The words looked for are put together here, so that this file holds none.
struct DebrisTests {
  private static let folders = ["Sources", "Tests", "Examples"]
  private static let reminders = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
  private static let machineFolders = ["work", "root", "home", "Users"].map { "/" + $0 + "/" }

  @Test func `nothing is left to do later`() {
    report(Repository.files(in: Self.folders).flatMap(Self.reminderFindings))
  }

  @Test func `no code is commented out`() {
    report(Repository.files(in: Self.folders, endings: [".swift"]).flatMap(Self.disabledCodeFindings))
  }

  @Test func `no file names a folder of one machine`() {
    report(Repository.files.flatMap(Self.machineFolderFindings))
  }

  @Test func `reminders are found as words`() {
    let text = Self.reminders.map { "// \($0): later" }.joined(separator: "\n") + "\n\(Self.reminders[2])X"
    #expect(Self.reminderFindings(in: SourceFile(path: "A.swift", text: text)).map(\.line) == [1, 2, 3])
  }

  @Test(arguments: [
    "let count = 1", "var name: String", "func run() {", "return count", "return items[0].name", "}",
    "} else {",
    "if isReady {", "import Foundation", "try replica.merge(delta)", "count += 1",
  ])
  func `a line of code is found in a comment`(code: String) {
    let file = SourceFile(path: "A.swift", text: "  // \(code)\n/// \(code)\n//\(code)")
    #expect(Self.disabledCodeFindings(in: file).map(\.line) == [1, 3])
  }

  @Test(arguments: [
    "let the peer ask again", "return what was there before, and nothing else", "if it is open, close it",
    "import what is missing from the other", "function: see the paper", "try again later", "a = b holds here",
  ])
  func `a sentence in a comment is no code`(sentence: String) {
    #expect(Self.disabledCodeFindings(in: SourceFile(path: "A.swift", text: "// \(sentence)")).isEmpty)
  }

  @Test func `folders of one machine are found, parts of longer paths are not`() {
    let text =
      Self.machineFolders.map { "see \($0)a" }.joined(separator: "\n") + "\nhttps://a.example/work" + "/b"
    let file = SourceFile(path: "A.md", text: text)
    #expect(Self.machineFolderFindings(in: file).map(\.line) == [1, 2, 3, 4])
  }

  private static func reminderFindings(in file: SourceFile) -> [Finding] {
    file.findings("a reminder: do it, or leave it") { line in reminders.contains { line.containsWord($0) } }
  }

  private static func machineFolderFindings(in file: SourceFile) -> [Finding] {
    file.findings("a folder of one machine") { line in
      line.utf8.contains(UInt8(ascii: "/"))
        && machineFolders.contains {
          line.occurs($0) { before, _ in !before.isWordByte && !isPathByte(before) }
        }
    }
  }

  private static func isPathByte(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "."), UInt8(ascii: "-")].contains(byte)
  }

  private static func disabledCodeFindings(in file: SourceFile) -> [Finding] {
    file.findings(in: file.swift.comments, "code in a comment") { line in
      let comment = line.trimmed
      guard comment.hasPrefix("//"), !comment.hasPrefix("///") else { return false }
      return looksLikeCode(String(comment.dropFirst(2)).trimmed)
    }
  }

  /// A guess: how a statement begins, and a sign that no sentence has.
  private static func looksLikeCode(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    let has = { (sign: String) in text.occurs(sign) { _, _ in true } }
    switch words.first {
    case "let", "var": return has(" = ") || has(": ")
    case "func", "init", "try", "await": return has("(")
    case "return": return words.count <= 2 || has("(") || has("[") || has(" = ") || has(" ? ")
    case "import": return words.count == 2
    case "if", "for", "while", "guard", "switch", "struct", "enum", "extension", "final", "public", "private":
      return text.hasSuffix("{")
    default: return text.hasPrefix("}") || has(" += ") || text.hasSuffix(") {")
    }
  }
}
