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
    if let only = number("REJOIN_SEED", { UInt64($0) }) { return [only] }
    let factor = number("REJOIN_SEEDS") { Double($0).flatMap { $0.isFinite ? $0 : nil } } ?? 1
    return Array(0..<UInt64(min(max(Double(count) * factor, 1), 1_000_000)))
  }

  /// How many histories a seed stands for: 1,000 unless a variable says otherwise.
  public static var caseCount: Int { cases(1_000) }

  /// How many histories a seed stands for: so many, unless a variable says otherwise.
  public static func cases(_ count: Int) -> Int {
    number("REJOIN_CASES") { Int($0).flatMap { $0 > 0 ? $0 : nil } } ?? count
  }

  /// What a variable says; one that cannot be read is pointed out, since it was meant to change something.
  private static func number<Number>(_ name: String, _ read: (String) -> Number?) -> Number? {
    guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
    let number = read(text)
    if number == nil { print("\(name)=\(text) is ignored: it is no number that makes sense here") }
    return number
  }
}
