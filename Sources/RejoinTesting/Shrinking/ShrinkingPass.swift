/// A kind of edit that may make a history smaller.
enum ShrinkingPass: CaseIterable {
  /// Leaves out several steps on end, long runs first.
  case deleteBlocks
  /// Leaves out one step: an operation, a message, a fault.
  case deleteSteps
  /// Leaves out a replica with all that happens at it.
  case deleteReplicas
  /// Lets a message arrive when it is sent, instead of under way for a while.
  case mergeDeliveries
  /// Leaves out two steps that only make sense together.
  case deletePairs
  /// Leaves out one step and lets another one happen at another replica.
  case deleteAndRelocate
  /// Leaves out one step and lets another one have another value, also a larger one.
  case deleteAndReplace
  /// Leaves out one step and lets two replicas change places: who wins a tie depends on who is who.
  case deleteAndRename
  /// Leaves out one choice.
  case deleteChoices
  /// Makes a choice smaller.
  case lowerValues
  /// Makes a choice smaller and leaves out some behind it: an operation of fewer parts.
  case lowerAndDelete
  /// Lets two neighbouring steps change places: simple steps come first, faults later.
  case swapNeighbours
  /// Lets a step happen much earlier or later.
  case moveSteps
  /// Lets two replicas change places.
  case renameReplicas

  /// Those that only take away.
  static let removals: [ShrinkingPass] = [.deleteSteps, .deleteReplicas, .deleteChoices]

  /// All sequences that one such edit makes of a history.
  func edits(of shape: HistoryShape) -> [ChoiceSequence] {
    switch self {
    case .deleteBlocks: shape.withoutBlocks
    case .deleteSteps: shape.withoutSteps
    case .deleteReplicas: shape.withoutReplicas
    case .mergeDeliveries: shape.withMergedDeliveries
    case .deletePairs: shape.withoutPairs
    case .deleteAndRelocate: shape.withoutStepsButRelocated
    case .deleteAndReplace: shape.withoutStepsButReplaced
    case .deleteAndRename: shape.withoutStepsButRenamed
    case .deleteChoices: shape.withoutChoices
    case .lowerValues: shape.withLowerValues
    case .lowerAndDelete: shape.withLowerValuesAndFewerChoices
    case .swapNeighbours: shape.withSwappedNeighbours
    case .moveSteps: shape.withMovedSteps
    case .renameReplicas: shape.withRenamedReplicas
    }
  }
}

extension HistoryShape {
  /// The sequence of these steps, in this order, behind the header.
  func sequence(of steps: some Sequence<Int>) -> ChoiceSequence {
    var sequence = ChoiceSequence(choices[header].map(\.value))
    var starts: [Int] = []
    for step in steps {
      starts.append(sequence.values.count)
      sequence.values += choices[self.steps[step]].lazy.map(\.value)
    }
    sequence.stepStarts = starts
    return sequence
  }

  var withoutBlocks: [ChoiceSequence] {
    var edits: [ChoiceSequence] = []
    var length = steps.count / 2
    while length > 1 {
      for start in stride(from: 0, through: steps.count - length, by: max(length / 2, 1)) {
        edits.append(sequence(of: steps.indices.filter { !(start..<start + length).contains($0) }))
      }
      length /= 2
    }
    return edits
  }

  /// From the end: what happens last is most often what matters least.
  var withoutSteps: [ChoiceSequence] {
    steps.indices.reversed().map { left in sequence(of: steps.indices.filter { $0 != left }) }
  }

  var withoutPairs: [ChoiceSequence] {
    steps.indices.flatMap { first in
      steps.indices[(first + 1)...].map { second in
        sequence(of: steps.indices.filter { $0 != first && $0 != second })
      }
    }
  }

  var withoutChoices: [ChoiceSequence] {
    choices.indices.map { left in
      ChoiceSequence(choices.indices.filter { $0 != left }.map { choices[$0].value })
    }
  }

  var withLowerValues: [ChoiceSequence] {
    choices.indices.flatMap { index in
      let value = choices[index].value
      let lower = Set([0, value / 2, value &- 1]).filter { $0 < value }.sorted()
      return lower.map { lower in
        var values = choices.map(\.value)
        values[index] = lower
        return ChoiceSequence(values)
      }
    }
  }

  /// Where a choice says how many others follow, none of both can change alone.
  var withLowerValuesAndFewerChoices: [ChoiceSequence] {
    let longest = 6
    return choices.indices.filter { choices[$0].value > 0 }.flatMap { index in
      (1...longest).filter { index + $0 < choices.count }.map { count in
        var values = choices.map(\.value)
        values[index] -= 1
        values.removeSubrange(index + 1...index + count)
        return ChoiceSequence(values)
      }
    }
  }

  var withSwappedNeighbours: [ChoiceSequence] {
    steps.indices.dropLast().map { index in
      var order = Array(steps.indices)
      order.swapAt(index, index + 1)
      return sequence(of: order)
    }
  }

  var withMovedSteps: [ChoiceSequence] {
    steps.indices.flatMap { from in
      steps.indices.filter { abs($0 - from) > 1 }.map { to in
        var order = Array(steps.indices)
        order.insert(order.remove(at: from), at: to)
        return sequence(of: order)
      }
    }
  }

  // MARK: Replicas

  private var replicaCount: Int { choices.isEmpty ? 0 : Int(choices[0].value) + 1 }

  var withoutReplicas: [ChoiceSequence] {
    guard replicaCount > 1 else { return [] }
    return (0..<replicaCount).reversed().map { left in
      var values = [choices[0].value - 1] + choices[header].dropFirst().map(\.value)
      for step in steps where !mentions(left, in: step) {
        values += choices[step].map { choice in
          choice.role == .replica && choice.value > UInt64(left) ? choice.value - 1 : choice.value
        }
      }
      return ChoiceSequence(values)
    }
  }

  var withoutStepsButRelocated: [ChoiceSequence] {
    let places = steps.indices.flatMap { step in
      steps[step].filter { choices[$0].role == .replica }.map { (step, $0) }
    }
    return steps.indices.flatMap { left in
      places.filter { $0.0 != left }.flatMap { step, place in
        (0..<UInt64(replicaCount)).filter { $0 != choices[place].value }.map { replica in
          var edited = self
          edited.choices[place].value = replica
          return edited.sequence(of: steps.indices.filter { $0 != left })
        }
      }
    }
  }

  private func mentions(_ replica: Int, in step: Range<Int>) -> Bool {
    choices[step].contains { $0.role == .replica && $0.value == UInt64(replica) }
  }

  var withRenamedReplicas: [ChoiceSequence] { renamings.map { $0.sequence(of: steps.indices) } }

  /// The same with two replicas in each other's places.
  var renamings: [HistoryShape] {
    (0..<replicaCount).flatMap { one in
      ((one + 1)..<max(replicaCount, one + 1)).map { other in
        var renamed = self
        for place in choices.indices where choices[place].role == .replica {
          switch Int(choices[place].value) {
          case one: renamed.choices[place].value = UInt64(other)
          case other: renamed.choices[place].value = UInt64(one)
          default: break
          }
        }
        return renamed
      }
    }
  }

  // MARK: Messages

  /// A message that is sent and arrives later: as one exchange, when it was sent or when it arrived.
  var withMergedDeliveries: [ChoiceSequence] {
    steps.indices.filter { kind(of: steps[$0]) == .send }.flatMap { sent in
      steps.indices[(sent + 1)...].filter { kind(of: steps[$0])?.needsMessage == true }.flatMap { arrived in
        [sent, arrived].map { place in
          var values = choices[header].map(\.value)
          for step in steps.indices {
            if step == place {
              values.append(UInt64(StepKind.exchange.rawValue))
              values += choices[steps[sent].dropFirst()].map(\.value)
            } else if step != sent, step != arrived {
              values += choices[steps[step]].map(\.value)
            }
          }
          return ChoiceSequence(values)
        }
      }
    }
  }
}
