import Foundation

/// Which seeds a test runs: a range by default, more of them or a single one by environment variables.
///
/// - `REJOIN_SEED=1234` runs that seed alone, as the line that a failure prints says.
/// - `REJOIN_SEEDS=10` runs ten times as many, `REJOIN_SEEDS=0.1` a tenth.
package enum Seeds {
  /// Some of a test's seeds, run one after the other.
  package struct Chunk: Sendable, CustomStringConvertible {
    /// The seeds.
    package let seeds: Range<UInt64>

    /// The first seed and the last.
    package var description: String {
      seeds.count == 1 ? "seed \(seeds.lowerBound)" : "seeds \(seeds.lowerBound)-\(seeds.upperBound - 1)"
    }
  }

  /// The seeds of a test, in chunks that can run side by side.
  ///
  /// - Parameters:
  ///   - count: how many, unless an environment variable says otherwise.
  ///   - size: how many to a chunk.
  /// - Returns: the chunks, which cover every seed once.
  package static func chunks(count: Int, size: Int = 500) -> [Chunk] {
    if let single = value(of: "REJOIN_SEED", as: UInt64.self) { return [Chunk(seeds: single..<single + 1)] }
    let end = UInt64(max(1, Double(count) * (value(of: "REJOIN_SEEDS", as: Double.self) ?? 1)))
    return stride(from: 0, to: end, by: size).map { start in
      Chunk(seeds: start..<min(start + UInt64(size), end))
    }
  }

  /// The line that runs a failed seed again.
  package static func replay(_ seed: UInt64, suite: String) -> String {
    "REJOIN_SEED=\(seed) swift test --filter \(suite)"
  }

  private static func value<Number: LosslessStringConvertible>(
    of variable: String, as type: Number.Type
  ) -> Number? {
    ProcessInfo.processInfo.environment[variable].flatMap { Number($0) }
  }
}
