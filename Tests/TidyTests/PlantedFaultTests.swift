import Foundation
import Testing

/// The patches that plant faults, for the script beside them to find, keep up with the sources.
struct PlantedFaultTests {
  private static let folder = "Tests/PlantedFaults"

  private static let patches = Repository.files(in: [folder], endings: [".patch"])

  @Test func `there are thirty-nine faults, each of one or two lines in one file`() {
    #expect(Self.patches.count == 39)
    report(Self.patches.flatMap(Self.sizeFindings))
  }

  @Test(.enabled(if: Repository.isClone)) func `every planted fault fits the sources`() {
    report(Self.patches.flatMap { Self.fitFindings($0, at: Repository.root.appendingPathComponent($0.path)) })
  }

  @Test(.enabled(if: Repository.isClone)) func `a fault that no longer fits and one that is large are found`()
    throws
  {
    let patch = try #require(Self.patches.first)
    let stale = patch.lines.map { $0.hasPrefix("-  ") ? $0 + " as it was once" : $0 }
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).patch")
    defer { try? FileManager.default.removeItem(at: place) }
    try stale.joined(separator: "\n").write(to: place, atomically: true, encoding: .utf8)
    #expect(Self.fitFindings(patch, at: place).count == 1)

    let large = SourceFile(path: "a.patch", text: "--- a/a\n+++ b/a\n-a\n-b\n-c\n--- a/b\n+++ b/b\n+a")
    #expect(Self.sizeFindings(in: large).count == 2)
  }

  private static func fitFindings(_ patch: SourceFile, at place: URL) -> [Finding] {
    guard Repository.git(["apply", "--check", place.path]) == nil else { return [] }
    return [Finding(path: patch.path, line: 1, message: "does not apply to the sources any more")]
  }

  private static func sizeFindings(in patch: SourceFile) -> [Finding] {
    func count(_ sign: String) -> Int {
      patch.lines.count { $0.hasPrefix(sign) && !$0.hasPrefix(sign + sign + sign) }
    }
    let isLarge = count("-") > 2 || count("+") > 2
    let files = patch.lines.count { $0.hasPrefix("+++ ") }
    return [
      isLarge ? Finding(path: patch.path, line: 1, message: "changes more than two lines") : nil,
      files == 1 ? nil : Finding(path: patch.path, line: 1, message: "changes \(files) files"),
    ].compactMap(\.self)
  }
}
