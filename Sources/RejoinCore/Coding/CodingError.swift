/// Why bytes or text from outside could not be understood; nothing was changed.
///
/// No error carries user data: only what was expected and where in the bytes.
@nonexhaustive
public enum CodingError: Error, Hashable, Sendable {
  /// The bytes end before what they announce; ask for them again.
  case truncated(offset: Int)

  /// The bytes contradict the format: `what` names the part. They were damaged or not made by this library.
  case malformed(_ what: String, offset: Int)

  /// The checksum does not match: the bytes were damaged on their way; ask for them again.
  case checksumMismatch

  /// The bytes start with something else than a delta's mark: this is not a delta.
  case notADelta

  /// A newer version of the library wrote this; upgrade this replica to read it.
  case upgradeRequired(format: Int, supported: ClosedRange<Int>)

  /// A bound of ``Limits`` would be exceeded: `what` names it.
  case overLimit(_ what: String, limit: Int)
}

extension CodingError: CustomStringConvertible {
  /// What happened and what can be done.
  public var description: String {
    switch self {
    case .truncated(let offset):
      "The bytes end too early, at offset \(offset); ask the sender for them again."
    case .malformed(let what, let offset):
      "Not a valid \(what) at offset \(offset); the bytes were damaged or not made by this library."
    case .checksumMismatch:
      "The checksum does not match: the bytes were damaged on their way; ask the sender for them again."
    case .notADelta:
      "This is not a delta of this library."
    case .upgradeRequired(let format, let supported):
      "Written in format \(format), while this version reads \(supported.lowerBound) to "
        + "\(supported.upperBound); upgrade this replica."
    case .overLimit(let what, let limit):
      "The \(what) exceeds the limit of \(limit)."
    }
  }
}
