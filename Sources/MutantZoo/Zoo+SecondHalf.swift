import RejoinTesting

extension Zoo {
  /// M9 to M16.
  static let secondHalf: [Exhibit] = [
    Exhibit(
      "M9", "delta merged in spite of a gap", DeltaWithHole<Mutant>.self, DeltaWithHole<Right>.self,
      minimum: 4),
    Exhibit(
      "M10", "batch compared with the old value", BatchAgainstOldValue<Mutant>.self,
      BatchAgainstOldValue<Right>.self, minimum: 2),
    Exhibit(
      "M11", "identity used again", ReusedIdentity<Mutant>.self, ReusedIdentity<Right>.self, minimum: 4),
    Exhibit(
      "M12", "sequence number not durable", ForgottenSequence<Mutant>.self, ForgottenSequence<Right>.self,
      minimum: 5),
    Exhibit(
      "M13", "early removal dropped", DroppedRemoval<Mutant>.self, DroppedRemoval<Right>.self, minimum: 3),
    Exhibit(
      "M14", "digest by XOR", DigestExchange<CancellingDigest<Mutant>>.self,
      DigestExchange<CancellingDigest<Right>>.self, minimum: 2),
    Exhibit(
      "M14'", "digest without tombstones", DigestExchange<TombstonelessDigest<Mutant>>.self,
      DigestExchange<TombstonelessDigest<Right>>.self, minimum: 2),
    Exhibit(
      "M15", "move by deletion and insertion", CausalBroadcast<MoveByReinsertion<Mutant>>.self,
      CausalBroadcast<MoveByReinsertion<Right>>.self, minimum: 2),
    Exhibit("M16", "constant stamp", ConstantStamp<Mutant>.self, ConstantStamp<Right>.self, minimum: 2),
  ]
}
