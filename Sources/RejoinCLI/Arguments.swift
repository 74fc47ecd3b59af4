/// What may stand behind a verb: the usage line and the parser both follow it.
struct Syntax: Sendable {
  /// The names of the positional arguments, in order.
  var positionals: [String]

  /// The name of one more argument that may be repeated and stands at least once; nil when nothing may follow.
  var repeated: String?

  /// What else may follow, as the usage line shows it; the verb reads it as ``Arguments/repeated``. Nil when nothing
  /// may.
  var following: String?

  /// The options of this verb, beside the common ones.
  var options: [Option]

  /// An argument that starts with hyphens.
  struct Option: Sendable {
    /// The name, with its hyphens.
    var name: String
    /// Another name for the same.
    var alias: String?
    /// What the value is called; nil for a flag, which has none.
    var value: String?
    /// Whether the verb cannot do without it.
    var isRequired = false
    /// What it does, in one sentence.
    var meaning: String
  }

  /// Makes a syntax.
  init(
    _ positionals: String..., repeated: String? = nil, following: String? = nil, options: [Option] = []
  ) {
    self.positionals = positionals
    self.repeated = repeated
    self.following = following
    self.options = options
  }

  /// What every verb takes.
  static let common = [
    Option(
      name: "--json",
      meaning: "Print exactly one JSON object on standard output, also when something goes wrong."),
    Option(
      name: "--now", value: "MILLISECONDS",
      meaning: "Take this as the wall clock, in milliseconds since the Unix epoch."),
  ]

  /// The arguments as the usage line shows them, without the common options.
  var usage: String {
    let options = options.map { option in
      let text = option.value.map { "\(option.name) \($0)" } ?? option.name
      return option.isRequired ? text : "[\(text)]"
    }
    let rest = [repeated.map { "\($0) ..." }, following.map { "[\($0)]" }].compactMap(\.self)
    return (positionals + rest + options).joined(separator: " ")
  }

  /// The option with this name or alias.
  func option(named name: String) -> Option? {
    (options + Syntax.common).first { $0.name == name || $0.alias == name }
  }
}

/// The arguments of one command, checked against the syntax of its verb.
///
/// An option's value is the argument behind it, whatever it looks like; behind `--` everything is positional. A
/// single hyphen is positional too.
struct Arguments: Sendable {
  /// The arguments of the syntax's `repeated`.
  private(set) var repeated: [String] = []

  private var positionals: [String: String] = [:]
  private var options: [String: String] = [:]

  /// Checks `words`; a failure says which argument is at fault.
  init(_ words: [String], syntax: Syntax) throws(Failure) {
    var found: [String] = []
    var rest = words[...]
    var takesOptions = true
    while let word = rest.popFirst() {
      guard takesOptions, word.utf8.first == UInt8(ascii: "-"), word != "-" else {
        found.append(word)
        continue
      }
      if word == "--" {
        takesOptions = false
      } else {
        try take(word, from: &rest, syntax: syntax)
      }
    }
    try place(found, syntax: syntax)
    for option in syntax.options where option.isRequired && options[option.name] == nil {
      throw .usage("The option \(option.name) is missing.")
    }
  }

  private mutating func take(
    _ word: String, from rest: inout ArraySlice<String>, syntax: Syntax
  ) throws(Failure) {
    guard let option = syntax.option(named: word) else {
      throw .usage("There is no option \(word) here; write -- before an argument that starts with a hyphen.")
    }
    guard options[option.name] == nil else { throw .usage("The option \(option.name) stands twice.") }
    guard let value = option.value else { return options[option.name] = "" }
    guard let next = rest.popFirst() else { throw .usage("\(value) is missing behind \(word).") }
    options[option.name] = next
  }

  private mutating func place(_ found: [String], syntax: Syntax) throws(Failure) {
    for (index, name) in syntax.positionals.enumerated() {
      guard index < found.count else { throw .usage("\(name) is missing.") }
      positionals[name] = found[index]
    }
    repeated = Array(found.dropFirst(syntax.positionals.count))
    if let name = syntax.repeated {
      guard !repeated.isEmpty else { throw .usage("\(name) is missing.") }
    } else if syntax.following == nil, let extra = repeated.first {
      throw .usage("The argument \"\(extra)\" is one too many.")
    }
  }

  /// The positional argument of this name, which the syntax lists.
  func text(_ name: String) -> String {
    guard let text = positionals[name] else { preconditionFailure("the syntax has no \(name)") }
    return text
  }

  /// The value of an option, nil when it was not given.
  func option(_ name: String) -> String? { options[name] }

  /// Whether a flag was given.
  func has(_ flag: String) -> Bool { options[flag] != nil }

  /// The first positional argument of the syntax that names a replica's file, if any.
  var file: String? { positionals["FILE"] }
}
