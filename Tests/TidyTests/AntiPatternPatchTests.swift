import Foundation
import Testing

/// The patches that introduce the documents' anti-patterns keep up with the sources and with the tests.
struct AntiPatternPatchTests {
  private static let patches = Repository.files(in: ["Tests/AntiPatterns"], endings: [".patch"])

  @Test(.enabled(if: Repository.isClone)) func `every pattern fits the sources`() {
    report(
      Self.patches.compactMap { patch in
        let place = Repository.root.appendingPathComponent(patch.path)
        guard Repository.git(["apply", "--check", place.path]) == nil else { return nil }
        return Finding(path: patch.path, line: 1, message: "does not apply to the sources any more")
      })
  }

  @Test func `every pattern has the test that is named after it`() {
    let files = Repository.files(in: ["Tests/RejoinOutboxTests/AntiPatterns"], endings: [".swift"])
    let named = files.flatMap(\.lines).compactMap { line -> String? in
      guard line.contains("@Test func `"), let name = line.split(separator: "`").dropFirst().first else {
        return nil
      }
      return String(name.replacing(" ", with: "-"))
    }
    let patched = Self.patches.map { patch in
      let name = patch.path.split(separator: "/").last ?? ""
      return String(name.dropLast(".patch".count))
    }
    #expect(named.count == 16)
    #expect(named.sorted() == patched.sorted())
  }
}
