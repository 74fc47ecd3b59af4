import MutantZoo
import RejoinTesting

/// What testing one exhibit came to.
struct Finding {
  let exhibit: Zoo.Exhibit
  private let seeds: Int
  private var caught = 0
  private var oracles: Set<String> = []
  private var worstCaseNumber = 0
  private var worstTime = Duration.zero
  private var leastSteps = Int.max
  private var mostSteps = 0
  private var provenMinimal = 0
  private let twin: TestReport
  private let shortest: Int?

  /// The smallest counterexample that any seed led to, in words.
  private(set) var smallest = "missed"

  /// Tests a mutant with every seed and all short histories, and its twin with one seed.
  init(_ exhibit: Zoo.Exhibit, _ arguments: Arguments) {
    self.exhibit = exhibit
    seeds = arguments.seeds
    twin = exhibit.testTwin(1, arguments.twinCases)
    shortest = exhibit.tryMutant(exhibit.shortest).counterexample?.trace.rows.count
    for seed in 0..<UInt64(arguments.seeds) {
      let start = ContinuousClock.now
      let report = exhibit.testMutant(seed, arguments.cases)
      worstTime = max(worstTime, ContinuousClock.now - start)
      if let counterexample = report.counterexample { add(counterexample) }
    }
  }

  private mutating func add(_ counterexample: Counterexample) {
    caught += 1
    oracles.insert(counterexample.violation.oracle.rawValue)
    worstCaseNumber = max(worstCaseNumber, counterexample.origin.caseNumber + 1)
    let steps = counterexample.trace.rows.count
    if steps < leastSteps { smallest = "\(counterexample)" }
    leastSteps = min(leastSteps, steps)
    mostSteps = max(mostSteps, steps)
    if counterexample.isMinimal == true { provenMinimal += 1 }
  }

  private var alarms: Int { twin.counterexample == nil ? 0 : 1 }

  /// The goals that were missed, each in a few words.
  var missedGoals: [String] {
    var missed: [String] = []
    if caught < seeds { missed.append("missed by \(seeds - caught) of \(seeds) seeds") }
    if worstTime > .seconds(1) { missed.append("took longer than a second") }
    if shortest != exhibit.minimum {
      missed.append("the shortest history has \(shortest.map { "\($0)" } ?? "more") steps")
    }
    if mostSteps > exhibit.minimum + 1 { missed.append("shrunk to no less than \(mostSteps) steps") }
    if provenMinimal < caught { missed.append("something could still be left out") }
    if let alarm = twin.counterexample { missed.append("the right twin raises an alarm:\n\(alarm)") }
    return missed
  }
}

/// As a line of the table.
extension Finding {
  private static let widths = [4, 33, 10, 4, 7, 7, 9, 14]

  static let head = line(
    ["name", "fault", "caught", "case", "seconds", "minimum", "shrunk to", "alarms of twin", "caught by"])

  var row: String {
    let shrunk =
      caught == 0 ? "-" : leastSteps == mostSteps ? "\(mostSteps)" : "\(leastSteps) to \(mostSteps)"
    return Self.line([
      exhibit.name, exhibit.fault, "\(caught) of \(seeds)", "\(worstCaseNumber)", Self.seconds(worstTime),
      "\(exhibit.minimum)", shrunk, "\(alarms) in \(twin.caseCount)",
      oracles.sorted().joined(separator: ", "),
    ])
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, widths + [0]).map { cell, width in
      cell + String(repeating: " ", count: max(width - cell.count, 0))
    }.joined(separator: "  ")
  }

  /// With two decimals.
  private static func seconds(_ duration: Duration) -> String {
    let hundredths = Int(duration / .milliseconds(10))
    return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
  }
}
