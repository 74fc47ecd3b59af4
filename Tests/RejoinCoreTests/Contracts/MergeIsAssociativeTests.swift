import RejoinCore
import Testing

/// What was merged first does not matter.
struct MergeIsAssociativeTests {
  @Test func `merging lives does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.lives) == nil)
  }

  @Test func `merging registers does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.registers) == nil)
  }

  @Test func `merging maps of registers does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.maps) == nil)
  }

  @Test func `merging tombstone sets does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.tombstoneSets) == nil)
  }

  @Test func `merging grow-only sets does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.growOnlySets) == nil)
  }

  @Test func `merging log entries does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.logEntries) == nil)
  }

  @Test func `merging version vectors does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.vectors) == nil)
  }

  @Test func `merging replica states does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.states) == nil)
  }

  @Test func `merging packed records with both slots does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(PackedState.cases) == nil)
  }

  @Test func `merging states with registers that outlive lives does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(SmallCases.outlivingStates) == nil)
  }

  @Test func `merging packed records with registers that outlive lives does not depend on the grouping`() {
    #expect(Laws.brokenAssociativity(PackedState.outlivingCases) == nil)
  }
}
