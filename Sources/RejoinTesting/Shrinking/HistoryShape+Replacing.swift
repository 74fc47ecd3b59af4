/// Edits that take a step away and make up for it.
///
/// A history may be the smallest around and yet not the smallest: where one step only makes good what another one
/// has spoilt, neither can go alone, but one of them can if the other does something else.
extension HistoryShape {
  /// Without one step, and with another value in another one.
  ///
  /// The first few values are tried: what matters about a value is most often whether it is the same as another.
  var withoutStepsButReplaced: [ChoiceSequence] {
    let places = steps.indices.flatMap { step in
      steps[step].filter { choices[$0].role == .value }.map { (step, $0) }
    }
    return steps.indices.reversed().flatMap { left in
      let kept = steps.indices.filter { $0 != left }
      return places.filter { $0.0 != left }.flatMap { _, place in
        (0..<UInt64(4)).filter { $0 != choices[place].value }.map { value in
          var edited = self
          edited.choices[place].value = value
          return edited.sequence(of: kept)
        }
      }
    }
  }

  /// Without one step, and with two replicas in each other's places.
  var withoutStepsButRenamed: [ChoiceSequence] {
    renamings.flatMap { renamed in
      steps.indices.reversed().map { left in renamed.sequence(of: steps.indices.filter { $0 != left }) }
    }
  }
}
