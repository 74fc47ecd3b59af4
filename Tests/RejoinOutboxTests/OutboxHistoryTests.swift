import Foundation
import LibrarySubjects
import Testing

/// Random histories of devices that meet each other and one plain server over a bad network.
struct OutboxHistoryTests {
  private static let count =
    ProcessInfo.processInfo.environment["REJOIN_OUTBOX_HISTORIES"].flatMap { Int($0) } ?? 100
  private static let first =
    ProcessInfo.processInfo.environment["REJOIN_OUTBOX_SEED"].flatMap { UInt64($0) } ?? 1

  private static let tongues =
    ProcessInfo.processInfo.environment["REJOIN_OUTBOX_TONGUE"].flatMap { Tongue(rawValue: $0) }.map { [$0] }
    ?? Tongue.allCases

  @Test(arguments: tongues)
  func `devices and server agree once everything is quiet`(_ tongue: Tongue) throws {
    for seed in Self.first..<Self.first + UInt64(Self.count) {
      for steps in [12, 40] {
        do {
          try OutboxWorld.run(seed: seed, steps: steps, in: tongue)
        } catch {
          Issue.record("\(error)")
          return
        }
      }
    }
  }
}
