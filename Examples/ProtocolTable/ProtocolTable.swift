import Foundation
import RejoinTesting

/// Runs every protocol in the settings of the published comparison and prints what they cost:
/// `swift run -c release ProtocolTable [--seeds N] [--all]`.
///
/// Ends with code 1 when a ratio is off the published one by more than 5 %, or when the library's own protocol costs
/// more than it may.
@main
enum ProtocolTable {
  static func main() throws {
    let arguments = CommandLine.arguments
    let seeds = arguments.firstIndex(of: "--seeds").map { arguments[($0 + 1)...] }?.first.flatMap {
      UInt64($0)
    }
    let percents = arguments.contains("--all") ? [10, 30, 60, 100] : [10, 100]
    let start = ContinuousClock.now
    var misses: [String] = []
    for topology in ProtocolComparison.Topology.allCases {
      for workload in [.gset] + percents.map(ProtocolComparison.Workload.gmap) {
        let comparisons = (1...max(seeds ?? 1, 1)).map {
          ProtocolComparison(topology: topology, workload: workload, seed: $0)
        }
        misses += try printTable(of: comparisons).map { "\(topology), \(workload): \($0)" }
      }
    }
    print("all of it in \(decimal((ContinuousClock.now - start).seconds, 1)) s")
    print(
      misses.isEmpty
        ? "Every figure is as it should be." : misses.map { "MISSED: \($0)" }.joined(separator: "\n"))
    exit(misses.isEmpty ? 0 : 1)
  }

  /// Runs all protocols and prints a line for each; says what is not as it should be.
  private static func printTable(of comparisons: [ProtocolComparison]) throws -> [String] {
    var report = ProtocolReport(comparisons[0])
    var times: [ProtocolComparison.Contender: Double] = [:]
    for contender in ProtocolComparison.Contender.allCases {
      let start = ContinuousClock.now
      for comparison in comparisons { report.add(try comparison.run(contender), of: contender) }
      times[contender] = (ContinuousClock.now - start).seconds / Double(comparisons.count)
    }
    let published = PublishedCosts(report.topology, report.workload)
    print("\(report.topology), \(report.workload), means of \(comparisons.count) seed(s)")
    print(
      line([
        "", "units", "ratio", "published", "off by", "elements", "x bound", "metadata", "whole kB", "x",
        "session kB", "x", "delay", "converged", "time",
      ]))
    for contender in ProtocolComparison.Contender.allCases {
      let mean = { (measure: (ProtocolCost) -> Int) in report.mean(contender, measure) }
      print(
        line([
          "\(contender)", decimal(mean(\.units), 0), decimal(report.ratio(of: contender), 2),
          contender == .bpRR
            ? decimal(published.map { Double($0.units) }, 0) : decimal(published?.ratios[contender], 2),
          decimal(report.deviation(of: contender).map { $0 * 100 }, 1) + " %",
          decimal(mean(\.elements), 0), decimal(report.transferRatio(of: contender), 3),
          decimal(mean(\.metadata), 0),
          decimal(mean(\.bytes).map { $0 / 1_000 }, 0), decimal(report.byteRatio(of: contender, \.bytes), 2),
          decimal(mean(\.sessionBytes).map { $0 / 1_000 }, 0),
          decimal(report.byteRatio(of: contender, \.sessionBytes), 3),
          decimal(mean { $0.convergenceDelayMilliseconds ?? 0 }, 0) + " ms",
          mean { $0.hasConverged ? 1 : 0 } == 1 ? "yes" : "NO", decimal(times[contender], 2) + " s",
        ]))
    }
    print()
    return report.misses
  }

  private static func line(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let padding = String(repeating: " ", count: max((index == 0 ? 18 : 10) - cell.count, 0))
      return index == 0 ? cell + padding : padding + cell
    }.joined(separator: " ")
  }

  private static func decimal(_ number: Double?, _ places: Int) -> String {
    number.map { String(format: "%.\(places)f", $0) } ?? "-"
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
