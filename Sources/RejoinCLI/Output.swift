import Foundation
import RejoinCore

/// What a verb has to say, in both forms.
struct Report: Sendable {
  /// The text for a person, without the last line's end; empty text prints nothing.
  var text: String

  /// The members of the one object that `--json` prints; the verb documents them.
  var json: [JSON.Member]

  /// How the process ends.
  var exitCode = ExitCode.done

  /// Remarks for standard error.
  var notes: [String] = []
}

/// Where the tool writes.
enum Output {
  /// Prints a report: text, or one JSON object.
  static func print(_ report: Report, asJSON: Bool) {
    for note in report.notes { write("rejoin: \(note)\n", to: .standardError) }
    if asJSON {
      write(JSON.object(report.json).text() + "\n", to: .standardOutput)
    } else if !report.text.isEmpty {
      write(report.text + "\n", to: .standardOutput)
    }
  }

  /// Prints a failure on standard error, with the usage where that was wrong; with JSON also one object on
  /// standard output.
  static func print(_ failure: Failure, usage: String?, asJSON: Bool) {
    if asJSON { write(failure.json(usage: usage).text() + "\n", to: .standardOutput) }
    var text = "rejoin: \(failure.message)\n"
    if let usage, failure.exitCode == .usage { text += "Usage: \(usage)\n" }
    write(text, to: .standardError)
  }

  /// Writes and ignores failure: whoever closed the other end does not want to hear of it.
  private static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }
}

/// Shows on standard error how far long work has come, where that is a terminal; elsewhere it says nothing.
struct Progress {
  private static let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1
  private static let clear = "\r\u{1b}[K"

  private let what: String
  private let total: Int
  private var count = 0

  /// Starts to count `what`, of which there are `total`.
  init(_ what: String, total: Int) {
    self.what = what
    self.total = total
  }

  /// Counts one more.
  mutating func advance() {
    count += 1
    if count.isMultiple(of: 500) { Progress.show("\(what): \(count) of \(total)") }
  }

  /// Clears the line.
  func finish() { Progress.show("") }

  /// Says what happens while `body` runs.
  static func during<Result>(_ what: String, _ body: () throws -> Result) rethrows -> Result {
    show("\(what) ...")
    defer { show("") }
    return try body()
  }

  /// Shows a line in place of the one before; an empty one clears it.
  static func show(_ text: String) {
    guard isShown else { return }
    try? FileHandle.standardError.write(contentsOf: Data((clear + text).utf8))
  }
}
