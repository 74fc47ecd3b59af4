/// The costs of protocols in one setting, beside those that were published.
public struct ProtocolReport: Sendable {
  /// Who is whose neighbour.
  public let topology: ProtocolComparison.Topology

  /// What the nodes write.
  public let workload: ProtocolComparison.Workload

  private let fewestTransfers: Int
  private var costs: [ProtocolComparison.Contender: [ProtocolCost]] = [:]

  /// Starts a report on runs of comparisons that differ from this one in their seeds at most.
  public init(_ comparison: ProtocolComparison) {
    topology = comparison.topology
    workload = comparison.workload
    fewestTransfers = comparison.fewestTransfers
  }

  /// Adds the cost of one run.
  public mutating func add(_ cost: ProtocolCost, of contender: ProtocolComparison.Contender) {
    costs[contender, default: []].append(cost)
  }

  /// The mean of something over all runs of a protocol; nil when there was none.
  public func mean(
    _ contender: ProtocolComparison.Contender, _ measure: (ProtocolCost) -> Int
  ) -> Double? {
    guard let runs = costs[contender] else { return nil }
    return Double(runs.reduce(0) { $0 + measure($1) }) / Double(runs.count)
  }

  /// How many units a protocol sends for each one of BP+RR's.
  public func ratio(of contender: ProtocolComparison.Contender) -> Double? {
    guard let units = mean(contender, \.units), let least = mean(.bpRR, \.units) else { return nil }
    return units / least
  }

  /// By which part of it the ratio differs from the published one, or for BP+RR the units do.
  public func deviation(of contender: ProtocolComparison.Contender) -> Double? {
    guard let published = PublishedCosts(topology, workload) else { return nil }
    if contender == .bpRR { return mean(.bpRR, \.units).map { $0 / Double(published.units) - 1 } }
    guard let ratio = ratio(of: contender), let expected = published.ratios[contender] else { return nil }
    return ratio / expected - 1
  }

  /// How many element transfers there are for each one that no protocol can do without.
  public func transferRatio(of contender: ProtocolComparison.Contender) -> Double? {
    mean(contender, \.elements).map { $0 / Double(fewestTransfers) }
  }

  /// How many bytes a protocol sends for each one of BP+RR's, both in whole deltas or both in sessions.
  public func byteRatio(
    of contender: ProtocolComparison.Contender, _ measure: (ProtocolCost) -> Int
  ) -> Double? {
    guard let bytes = mean(contender, measure), let least = mean(.bpRR, measure) else { return nil }
    return bytes / least
  }

  /// What is not as it should be, in sentences.
  ///
  /// Bytes are compared in sessions, where both protocols encode alike. A whole delta of this library also says what it
  /// starts from, which the other protocols leave to numbers that both ends remember.
  public var misses: [String] {
    var misses = costs.filter { $0.value.contains { !$0.hasConverged } }.map { "\($0.key) did not converge" }
    for contender in costs.keys {
      guard let deviation = deviation(of: contender), abs(deviation) > 0.05 else { continue }
      misses.append("\(contender) is off the published figure by more than 5 %")
    }
    if let transfers = transferRatio(of: .rejoin), transfers > 1.05 {
      misses.append("rejoin transfers more than 1.05 times as many elements as must be")
    }
    if let ratio = byteRatio(of: .rejoin, \.sessionBytes), ratio >= 1 {
      misses.append("rejoin sends as many bytes in sessions as BP+RR, or more")
    }
    return misses.sorted()
  }
}
