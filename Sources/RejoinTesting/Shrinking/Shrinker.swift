/// Looks for the smallest history that breaks a promise, by editing the sequence of its choices.
///
/// Which promise may change on the way: a small history that fails otherwise shows the fault better than a large one.
///
/// A history is smaller than another one when it has fewer steps, or as many and fewer choices, or as many and its
/// choices come first in lexicographic order: simple steps then come before faults, and small values before large.
/// Every edit that is kept makes the history smaller, so that shrinking ends.
struct Shrinker<Subject: ReplicatedType> {
  private(set) var best: History<Subject>
  private(set) var attempts = 0
  private let options: TestOptions
  private var seen: Set<ChoiceSequence> = []

  init?(_ history: History<Subject>, options: TestOptions) {
    guard history.violation != nil else { return nil }
    best = history
    self.options = options
  }

  /// Edits until no edit makes the history smaller, or the attempts are used up.
  mutating func run() {
    // What was drawn after the violation is already gone: the history ended there.
    var improved = true
    while improved, attempts < options.shrinkingAttempts {
      improved = false
      for pass in ShrinkingPass.allCases {
        while attempts < options.shrinkingAttempts, improve(pass) { improved = true }
      }
    }
  }

  /// Whether no single step, replica or choice can be taken away: every such history keeps all promises.
  ///
  /// Runs each of them once more, past everything that was remembered.
  func isMinimal() -> Bool {
    ShrinkingPass.removals.allSatisfy { pass in
      pass.edits(of: best.shape).allSatisfy { edited in
        let history = History<Subject>(replaying: edited, options: options)
        return !isFailure(history) || !isSmaller(history)
      }
    }
  }

  private mutating func improve(_ pass: ShrinkingPass) -> Bool {
    for edited in pass.edits(of: best.shape) {
      guard attempts < options.shrinkingAttempts else { return false }
      guard seen.insert(edited).inserted else { continue }
      attempts += 1
      let history = History<Subject>(replaying: edited, options: options)
      if isFailure(history), isSmaller(history) {
        best = history
        return true
      }
    }
    return false
  }

  private func isFailure(_ history: History<Subject>) -> Bool {
    history.isWhole && history.violation != nil
  }

  private func isSmaller(_ history: History<Subject>) -> Bool {
    if history.steps.count != best.steps.count { return history.steps.count < best.steps.count }
    if history.choices.count != best.choices.count { return history.choices.count < best.choices.count }
    return history.choices.lazy.map(\.value).lexicographicallyPrecedes(best.choices.lazy.map(\.value))
  }
}

/// What an edit needs to know of a history, whatever the type under test.
struct HistoryShape {
  var choices: [Choices.Choice]
  var steps: [Range<Int>]

  /// The choices before the first step.
  var header: Range<Int> { 0..<(steps.first?.lowerBound ?? choices.count) }

  func kind(of step: Range<Int>) -> StepKind? { StepKind(rawValue: Int(choices[step.lowerBound].value)) }
}

extension History {
  var shape: HistoryShape { HistoryShape(choices: choices, steps: steps.map(\.choices)) }
}
