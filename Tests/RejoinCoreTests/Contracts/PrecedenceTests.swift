import RejoinCore
import Testing

/// What decides between two registers of one address: life before rank, rank before time, time before replica; no life
/// before all lives.
struct PrecedenceTests {
  /// From the smallest to the largest.
  private static let ascending = [
    precedence(life: 1, rank: 0, time: 1, replica: 1), precedence(life: 1, rank: 0, time: 1, replica: 2),
    precedence(life: 1, rank: 0, time: 2, replica: 1), precedence(life: 1, rank: 1, time: 1, replica: 1),
    precedence(life: 1, rank: 2, time: 1, replica: 1), precedence(life: 3, rank: 0, time: 1, replica: 1),
    precedence(life: 0, rank: 0, time: 1, replica: 1), precedence(life: 0, rank: 1, time: 1, replica: 1),
  ]

  private static func precedence(
    life: UInt64, rank: UInt64, time: UInt64, replica: UInt64
  ) -> Precedence {
    Precedence(life: life, rank: rank, timestamp: SmallCases.stamp(time, replica))
  }

  @Test func `a later life, then a larger rank, then a later time, then a larger replica wins`() {
    for (first, left) in Self.ascending.enumerated() {
      for (second, right) in Self.ascending.enumerated() {
        #expect((left < right) == (first < second))
      }
    }
  }

  @Test func `lattice and packed record both keep the register that precedes, whatever the values`() {
    for (first, low) in Self.ascending.enumerated() {
      for high in Self.ascending.dropFirst(first + 1) {
        let smaller = LWWRegister("z", precedence: low)
        let larger = LWWRegister(.null, precedence: high)
        #expect(smaller.merging(larger) == larger)
        #expect(larger.merging(smaller) == larger)
        let life = Life(count: 4, timestamp: SmallCases.stamp(1, 1))
        let packed = SmallCases.fragment(
          life: high.life == 1 ? nil : life, [larger, smaller], at: SmallCases.outlivingAddress)
        #expect(packed.registers.map(\.precedence) == [high])
        #expect(packed.registers.map { packed.value(of: $0) } == [.null])
      }
    }
  }
}
