/// One thing that the tool can do.
struct Verb: Sendable {
  /// What the caller writes.
  var name: String

  /// What may stand behind the name.
  var syntax: Syntax

  /// What it does, in one sentence.
  var abstract: String

  /// The keys of the object that `--json` prints, each with what it holds.
  var keys: [Key]

  /// Does it.
  var run: @Sendable (Arguments) async throws -> Report

  /// A key of the JSON output.
  struct Key: Sendable {
    /// The key.
    var name: String
    /// What it holds.
    var meaning: String

    /// Documents a key.
    init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// The usage line.
  var usage: String {
    let commons = Syntax.common.map { option in
      option.value.map { "[\(option.name) \($0)]" } ?? "[\(option.name)]"
    }
    return (["rejoin", name, syntax.usage] + commons).filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The verbs, in the order in which the help lists them.
  static let all: [Verb] = [
    .demo, .simulate,
    .initialize,
    .set, .get, .list, .delete, .restore,
    .increment, .reset, .add, .remove,
    .append, .log,
    .status, .sync, .delta, .merge, .conflicts,
    .push, .pull, .cycle, .outbox,
    .import, .export,
    .doctor, .explain,
  ]

  /// The verb with this name.
  static func named(_ name: String) -> Verb? { all.first { $0.name == name } }
}
