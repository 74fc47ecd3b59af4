import Foundation

// Tests every exhibit of the zoo and prints a table: how surely, how fast and how small each fault is found, and
// whether the right twin is left alone.
//
//     swift run -c release ZooTable [--seeds N] [--cases N] [--twin-cases N] [--only NAME] [--histories]
//
// --seeds        how many seeds each mutant is tested with; 100 unless given
// --cases        within how many histories a seed must find the fault; 1,000 unless given
// --twin-cases   in how many histories the right twin must raise no alarm; 20,000 unless given
// --only         tests one exhibit, such as M3
// --histories    prints the smallest history of each mutant, and a test that replays it
//
// Ends with 1 when an exhibit misses a goal, and with 2 when the arguments are none of these.

import MutantZoo

@main
struct ZooTable {
  static func main() {
    guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
      print("ZooTable [--seeds N] [--cases N] [--twin-cases N] [--only NAME] [--histories]")
      exit(2)
    }
    let exhibits = Zoo.exhibits.filter { arguments.only == nil || arguments.only == $0.name }
    var findings: [Finding] = []
    print(Finding.head)
    for exhibit in exhibits {
      let finding = Finding(exhibit, arguments)
      print(finding.row)
      findings.append(finding)
    }
    if arguments.showsHistories {
      for finding in findings { print("\n\(finding.exhibit.name): \(finding.smallest)") }
    }
    let missed = findings.filter { !$0.missedGoals.isEmpty }
    for finding in missed {
      print("\(finding.exhibit.name): \(finding.missedGoals.joined(separator: "; "))")
    }
    exit(missed.isEmpty && !findings.isEmpty ? 0 : 1)
  }
}

/// How much to test.
struct Arguments {
  var seeds = 100
  var cases = 1_000
  var twinCases = 20_000
  var only: String?
  var showsHistories = false

  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--histories": showsHistories = true
      case "--only": only = rest.next()
      case "--seeds", "--cases", "--twin-cases":
        guard let number = rest.next().flatMap({ Int($0) }), number > 0 else { return nil }
        if argument == "--seeds" { seeds = number }
        if argument == "--cases" { cases = number }
        if argument == "--twin-cases" { twinCases = number }
      default: return nil
      }
    }
  }
}
