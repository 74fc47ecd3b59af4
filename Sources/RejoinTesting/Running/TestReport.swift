import RejoinCore

/// What a run of histories did.
public struct TestReport: Sendable {
  /// The histories.
  public private(set) var caseCount = 0

  /// The steps of all of them.
  public private(set) var stepCount = 0

  /// The messages of all of them.
  public private(set) var messageCount = 0

  /// A fingerprint of all choices, steps and verdicts: the same for one seed on every machine and in every build.
  public var traceHash: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The smallest history that breaks a promise, if one was found.
  public internal(set) var counterexample: Counterexample?

  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add<Subject>(_ history: History<Subject>) {
    caseCount += 1
    stepCount += history.steps.count
    messageCount += history.messageCount
    for choice in history.choices { absorb(choice.value) }
    absorb(UInt64(history.messageCount))
    absorb(history.violation?.oracle.rawValue ?? "")
  }

  /// Takes a text into the fingerprint.
  mutating func absorb(_ text: String) {
    for byte in text.utf8 { absorb(UInt64(byte)) }
  }

  /// FNV-1a over whole words.
  private mutating func absorb(_ word: UInt64) {
    hash = (hash ^ word) &* 0x100_0000_01b3
  }
}
