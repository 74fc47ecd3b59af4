import Foundation
import TestSupport

/// The files of the repository that these tests belong to.
enum Repository {
  /// The folder that holds `Package.swift`.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// What stands in the root: the names that git tracks, so that a user's own files do not matter; without git,
  /// the folder's visible names.
  static let topLevel: [String] = {
    let tracked = Set(trackedPaths().compactMap { $0.split(separator: "/").first.map(String.init) })
    return (tracked.isEmpty ? visibleNames() : Array(tracked)).sorted()
  }()

  /// Every text file that the rules look at: those in the root, in the folders of the package, and the scripts.
  static let files: [SourceFile] = {
    let folders = ["Sources", "Tests", "Examples", ".ci"].flatMap { folder in
      let names = FileManager.default.subpaths(atPath: root.appendingPathComponent(folder).path) ?? []
      return names.sorted().map { "\(folder)/\($0)" }
    }
    return (topLevel + folders).compactMap(file)
  }()

  /// The files below one of the folders whose name ends in one of the endings.
  static func files(in folders: [String], endings: [String] = [""]) -> [SourceFile] {
    files.filter { file in
      folders.contains { file.path.hasPrefix("\($0)/") } && endings.contains { file.path.hasSuffix($0) }
    }
  }

  /// The file at a path from the root; nil when there is none, or a folder.
  static func file(at path: String) -> SourceFile? {
    let place = root.appendingPathComponent(path).path
    guard !path.hasSuffix(".DS_Store"), let bytes = FileManager.default.contents(atPath: place) else {
      return nil
    }
    return SourceFile(path: path, text: String(decoding: bytes, as: UTF8.self))
  }

  private static func visibleNames() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }
  }

  /// Whether git knows the files.
  static var isClone: Bool { !trackedPaths().isEmpty }

  /// What git tracks; empty when there is no git or the folder is no clone.
  private static func trackedPaths() -> [String] {
    (git(["ls-files"]) ?? "").split(separator: "\n").map(String.init)
  }

  /// What git prints in the root; nil when it fails.
  static func git(_ arguments: [String]) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", root.path] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.runAlone()) != nil else { return nil }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// A text file and where it lies.
struct SourceFile: Sendable {
  /// The path from the root of the repository.
  let path: String

  /// The lines, without their ends.
  let lines: [String]

  private let text: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The file read as Swift: code apart from comments and strings.
  var swift: SwiftText { SwiftText(text) }

  /// One finding for each of the lines that `isFault` picks.
  func findings(
    in lines: [String]? = nil, _ message: String, where isFault: (String) -> Bool
  ) -> [Finding] {
    zip(1..., lines ?? self.lines).filter { isFault($0.1) }.map {
      Finding(path: path, line: $0.0, message: message)
    }
  }
}
