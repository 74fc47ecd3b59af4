import Foundation
import LibrarySubjects
import RejoinTesting

/// Tests the library's own types for as long as wanted: `swift run -c release Soak [CASES [SEEDS [NAME...]]]`.
///
/// Prints a line for each seed and type. The first that breaks a promise ends it with status 1, and the smallest
/// history is printed.
@main
struct Soak {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.prefix(2).compactMap { Int($0) }
    let cases = numbers.first ?? TestSeeds.caseCount
    let names = arguments.dropFirst(numbers.count)
    let subjects = LibrarySubject.all.filter {
      names.isEmpty || names.contains($0.description)
    }
    // "Outbox" is all dialects, "Outbox-004" that of one document.
    let tongues = Tongue.allCases.filter { tongue in
      names.isEmpty || names.contains("Outbox") || names.contains("Outbox-\(tongue.rawValue)")
    }
    for seed in TestSeeds.seeds(numbers.dropFirst().first ?? 1) {
      for tongue in tongues { exchangeWithServer(seed: seed, cases: cases, in: tongue) }
      for subject in subjects {
        let start = ContinuousClock.now
        let report = subject.run(seed, cases)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let verdict = report.counterexample?.violation.oracle.rawValue ?? "no alarm"
        say(
          "\(subject): seed \(seed), \(report.caseCount) histories, \(report.stepCount) steps,"
            + " trace \(report.traceHash), \((seconds * 100).rounded() / 100) s: \(verdict)")
        if let counterexample = report.counterexample {
          say(counterexample.description)
          exit(1)
        }
      }
    }
  }

  /// Devices and a plain server; these histories are not shrunk.
  private static func exchangeWithServer(seed: UInt64, cases: Int, in tongue: Tongue) {
    let start = ContinuousClock.now
    var failure: (any Error)?
    for number in 0..<cases where failure == nil {
      let steps = number % 4 == 0 ? 12 : 40
      do { try OutboxWorld.run(seed: seed &* 1_000_003 &+ UInt64(number), steps: steps, in: tongue) } catch {
        failure = error
      }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let verdict = failure == nil ? "no alarm" : "a promise is broken"
    say(
      "Outbox-\(tongue.rawValue): seed \(seed), \(cases) histories, \((seconds * 100).rounded() / 100) s: \(verdict)"
    )
    if let failure {
      say("\(failure)")
      exit(1)
    }
  }

  /// Prints at once, also into a file that somebody reads meanwhile.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
