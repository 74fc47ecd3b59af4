import RejoinCore
import Testing

/// Merging again what was merged before changes nothing.
struct MergeIsIdempotentTests {
  @Test func `merging lives changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.lives) == nil)
  }

  @Test func `merging registers changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.registers) == nil)
  }

  @Test func `merging maps of registers changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.maps) == nil)
  }

  @Test func `merging tombstone sets changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.tombstoneSets) == nil)
  }

  @Test func `merging grow-only sets changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.growOnlySets) == nil)
  }

  @Test func `merging log entries changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.logEntries) == nil)
  }

  @Test func `merging version vectors changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.vectors) == nil)
  }

  @Test func `merging replica states changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(SmallCases.states) == nil)
  }

  @Test func `merging packed records with both slots changes nothing the second time`() {
    #expect(Laws.brokenIdempotence(PackedState.cases) == nil)
  }

  @Test func `merging states with registers that outlive lives again changes nothing`() {
    #expect(Laws.brokenIdempotence(SmallCases.outlivingStates) == nil)
  }

  @Test func `merging packed records with registers that outlive lives again changes nothing`() {
    #expect(Laws.brokenIdempotence(PackedState.outlivingCases) == nil)
  }
}
