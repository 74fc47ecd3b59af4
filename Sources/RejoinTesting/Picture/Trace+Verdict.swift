/// Who was wrong, and who shows what.
extension Trace {
  /// The replicas where a promise was broken, as far as that can be told.
  var wrongReplicas: [Int] {
    guard let violation else { return [] }
    if let replica = violation.replica { return [replica] }
    if violation.oracle == .convergence { return outvotedReplicas }
    return failsWithinSteps ? [rows.last?.shown?.replica].compactMap(\.self) : []
  }

  /// Those that do not show what most replicas show; all of them when there is no such thing.
  private var outvotedReplicas: [Int] {
    let votes = outcome.map { shown in outcome.count { $0 == shown } }
    guard let most = votes.max() else { return [] }
    let winners = Set(outcome.indices.filter { votes[$0] == most }.map { outcome[$0] })
    return outcome.indices.filter { winners.count > 1 || !winners.contains(outcome[$0]) }
  }

  /// What is shown in the end and by whom, something else on each line.
  var outcomeLines: [String] {
    var shown: [String] = []
    for observation in outcome where !shown.contains(observation) { shown.append(observation) }
    return shown.map { observation in
      let names = outcome.indices.filter { outcome[$0] == observation }.map { Step<Never>.name($0) }
      return "\(names.joined(separator: ", ")) \(names.count == 1 ? "shows" : "show") \(observation)"
    }
  }
}
