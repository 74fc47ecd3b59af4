import RejoinCore
import Testing

/// Who merges whom does not matter.
struct MergeIsCommutativeTests {
  @Test func `merging lives commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.lives) == nil)
  }

  @Test func `merging registers commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.registers) == nil)
  }

  @Test func `merging maps of registers commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.maps) == nil)
  }

  @Test func `merging tombstone sets commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.tombstoneSets) == nil)
  }

  @Test func `merging grow-only sets commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.growOnlySets) == nil)
  }

  @Test func `merging log entries commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.logEntries) == nil)
  }

  @Test func `merging version vectors commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.vectors) == nil)
  }

  @Test func `merging replica states commutes`() {
    #expect(Laws.brokenCommutativity(SmallCases.states) == nil)
  }

  @Test func `merging packed records with both slots commutes`() {
    #expect(Laws.brokenCommutativity(PackedState.cases) == nil)
  }

  @Test func `merging states with registers that outlive lives does not depend on the order`() {
    #expect(Laws.brokenCommutativity(SmallCases.outlivingStates) == nil)
  }

  @Test func `merging packed records with registers that outlive lives does not depend on the order`() {
    #expect(Laws.brokenCommutativity(PackedState.outlivingCases) == nil)
  }
}
