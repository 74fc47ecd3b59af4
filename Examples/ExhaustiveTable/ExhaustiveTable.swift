import Foundation

// Tries all histories of the types in the zoo within bounds, and prints how many there were and what came of it.
//
//     swift run -c release ExhaustiveTable [minimum|twins] [NAME ...]
//
// minimum   the mutants: the fewest steps in which each breaks a promise, among all histories of three replicas
// twins     the right twins: whether they keep all promises in all histories of three replicas, four operations of
//           the first two that can be drawn, and six deliveries
// NAME      only these exhibits, such as M3
//
// Twins that remember what they have sent to whom lead to millions of worlds: that takes minutes, and gigabytes.
// Ends with 1 when a minimum is not the one that the zoo states or a twin breaks a promise, and with 2 when the
// arguments are none of these.

import MutantZoo
import RejoinTesting

@main
struct ExhaustiveTable {
  static func main() {
    var names = CommandLine.arguments.dropFirst()
    guard let table = names.popFirst(), table == "minimum" || table == "twins" else {
      print("ExhaustiveTable [minimum|twins] [NAME ...]")
      exit(2)
    }
    let exhibits = Zoo.exhibits.filter { names.isEmpty || names.contains($0.name) }
    var isAsStated = !exhibits.isEmpty
    print(row(["name", "histories", "worlds", "seconds", "outcome"]))
    for exhibit in exhibits {
      let start = ContinuousClock.now
      let report = table == "minimum" ? exhibit.tryMutant(shortest) : exhibit.tryTwin(accepted)
      let seconds = Double(Int((ContinuousClock.now - start) / .milliseconds(10))) / 100
      let steps = report.counterexample?.trace.rows.count
      isAsStated = isAsStated && steps == (table == "minimum" ? exhibit.minimum : nil)
      print(
        row([
          exhibit.name, "\(report.scheduleCount)", "\(report.stateCount)", "\(seconds)",
          outcome(report, of: exhibit, isMutant: table == "minimum"),
        ]))
    }
    exit(isAsStated ? 0 : 1)
  }

  /// As many steps as it takes, of all kinds but those that set clocks: only M7, M7' and M16 read them, and these break
  /// a promise while clocks stand still.
  private static let shortest = ExhaustiveBounds(
    replicas: 3, operations: .max, deliveries: .max, incidents: 6,
    faults: TestOptions.Faults.all.subtracting(.clocks), steps: 6)

  private static let accepted = ExhaustiveBounds(replicas: 3, operations: 4, deliveries: 6, values: 2)

  private static func outcome(
    _ report: ExhaustiveReport, of exhibit: Zoo.Exhibit, isMutant: Bool
  ) -> String {
    guard let counterexample = report.counterexample else {
      return "all promises kept by \(report.alphabet.joined(separator: ", "))"
    }
    let steps = counterexample.trace.rows.count
    guard isMutant else { return "\(counterexample)" }
    return "\(steps) steps" + (steps == exhibit.minimum ? "" : " instead of \(exhibit.minimum)")
      + " break \(counterexample.violation.oracle.rawValue)"
  }

  private static func row(_ cells: [String]) -> String {
    zip(cells, [6, 14, 9, 9, 0]).map { cell, width in
      cell + String(repeating: " ", count: max(width - cell.count, 0))
    }.joined(separator: " ")
  }
}
