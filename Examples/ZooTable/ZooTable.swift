import MutantZoo
import RejoinTesting

/// Tests every exhibit of the zoo and prints a table: `swift run -c release ZooTable [SEEDS] [CASES]`.
@main
struct ZooTable {
  static func main() {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let seeds = numbers.first ?? 3
    let cases = numbers.dropFirst().first ?? 1_000
    for exhibit in Zoo.exhibits {
      for seed in 0..<UInt64(seeds) {
        let start = ContinuousClock.now
        let report = exhibit.testMutant(seed, cases)
        print(exhibit.name, seed, report.caseCount, report.traceHash, ContinuousClock.now - start)
        print(report.counterexample.map { "\($0)" } ?? "missed")
      }
      let start = ContinuousClock.now
      let report = exhibit.testTwin(1, cases)
      print(
        "twin", report.caseCount, report.stepCount, report.counterexample.map { "\($0)" } ?? "fine",
        ContinuousClock.now - start)
    }
  }
}
