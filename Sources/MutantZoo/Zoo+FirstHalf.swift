extension Zoo {
  /// M1 to M8.
  static let firstHalf: [Exhibit] = [
    Exhibit("M1", "tie decided by arrival", TieByArrival<Mutant>.self, TieByArrival<Right>.self, minimum: 2),
    Exhibit("M2", "removed for ever", RemovedForEver<Mutant>.self, RemovedForEver<Right>.self, minimum: 3),
    Exhibit(
      "M3", "kept what is on both sides", KeptOnBothSides<Mutant>.self, KeptOnBothSides<Right>.self,
      minimum: 6),
    Exhibit(
      "M3'", "dropped what is on both sides", DroppedOnBothSides<Mutant>.self, DroppedOnBothSides<Right>.self,
      minimum: 1),
    Exhibit(
      "M4", "tombstone collected too early", CollectedTooEarly<Mutant>.self, CollectedTooEarly<Right>.self,
      minimum: 4),
    Exhibit(
      "M5", "reset as a decrement", ResetAsDecrement<Mutant>.self, ResetAsDecrement<Right>.self, minimum: 4),
    Exhibit("M5'", "reset by zeroing", ResetByZeroing<Mutant>.self, ResetByZeroing<Right>.self, minimum: 2),
    Exhibit(
      "M6", "the last writer wins the row", WholeRowWins<Mutant>.self, WholeRowWins<Right>.self, minimum: 2),
    Exhibit(
      "M7", "the wall clock decides", WallClockWins<Mutant>.self, WallClockWins<Right>.self, minimum: 2,
      readsClock: true),
    Exhibit(
      "M7'", "clock not raised by what arrives", ClockNotRaised<Mutant>.self, ClockNotRaised<Right>.self,
      minimum: 3, readsClock: true),
    Exhibit("M8", "a gap is forgotten", GapForgotten<Mutant>.self, GapForgotten<Right>.self, minimum: 4),
  ]
}
