import Foundation

// Tries all histories of right twins of the zoo within bounds, and prints how many there were and what came of it: three
// replicas, four operations of the first two that can be drawn, six deliveries.
//
//     swift run -c release ExhaustiveTable [NAME ...]
//
// NAME   an exhibit, such as M9; M1 (a register), M3' (a set) and M5 (a counter) unless any is given
//
// Types that remember what they have sent to whom, such as those of M9 and M12, lead to millions of worlds: that takes
// minutes, and gigabytes.
//
// Ends with 1 when a promise is broken, and with 2 when a name is that of no exhibit.

import MutantZoo
import RejoinTesting

@main
struct ExhaustiveTable {
  private static let bounds = ExhaustiveBounds(replicas: 3, operations: 4, deliveries: 6, values: 2)

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let names = arguments.isEmpty ? ["M1", "M3'", "M5"] : arguments
    let exhibits = names.compactMap { name in Zoo.exhibits.first { $0.name == name } }
    guard exhibits.count == names.count else {
      print("ExhaustiveTable [NAME ...], of \(Zoo.exhibits.map(\.name).joined(separator: ", "))")
      exit(2)
    }
    var counterexamples: [Counterexample] = []
    print(row(["name", "histories", "worlds", "seconds", "operations"]))
    for exhibit in exhibits {
      let start = ContinuousClock.now
      let report = exhibit.tryTwin(bounds)
      print(
        row([
          exhibit.name, "\(report.scheduleCount)", "\(report.stateCount)", seconds(since: start),
          report.alphabet.joined(separator: ", "),
        ]))
      if let counterexample = report.counterexample { counterexamples.append(counterexample) }
    }
    for counterexample in counterexamples { print("\n\(counterexample)") }
    exit(counterexamples.isEmpty ? 0 : 1)
  }

  private static func row(_ cells: [String]) -> String {
    zip(cells, [6, 14, 9, 9, 0]).map { cell, width in
      cell + String(repeating: " ", count: max(width - cell.count, 0))
    }.joined(separator: " ")
  }

  /// With one decimal.
  private static func seconds(since start: ContinuousClock.Instant) -> String {
    let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10)"
  }
}
