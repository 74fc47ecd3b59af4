#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How much to test, as environment variables say.
///
/// - `REJOIN_SEED=7` tests that seed alone.
/// - `REJOIN_SEEDS=10` tests ten times as many seeds as usual, `REJOIN_SEEDS=0.1` a tenth, but at least one.
/// - `REJOIN_CASES=100000` tests that many histories a seed.
public enum TestSeeds {
  /// The seeds to test: so many from 0, unless a variable says otherwise.
  public static func seeds(_ count: Int) -> [UInt64] {
    if let only = variable("REJOIN_SEED").flatMap({ UInt64($0) }) { return [only] }
    let factor = variable("REJOIN_SEEDS").flatMap { Double($0) } ?? 1
    return Array(0..<UInt64(max(Double(count) * factor, 1)))
  }

  /// How many histories a seed stands for: 1,000 unless a variable says otherwise.
  public static var caseCount: Int { cases(1_000) }

  /// How many histories a seed stands for: so many, unless a variable says otherwise.
  public static func cases(_ count: Int) -> Int { variable("REJOIN_CASES").flatMap { Int($0) } ?? count }

  private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
