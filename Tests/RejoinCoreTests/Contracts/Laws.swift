import RejoinCore

/// The laws of a lattice over all pairs or triples of small cases; each gives the first case that breaks it.
enum Laws {
  static func brokenCommutativity<Case: Lattice>(_ cases: [Case]) -> String? {
    for left in cases {
      for right in cases where left.merging(right) != right.merging(left) {
        return "\(left)\nmerged with \(right)\ndepends on the order"
      }
    }
    return nil
  }

  static func brokenAssociativity<Case: Lattice>(_ cases: [Case]) -> String? {
    let pairs = cases.map { left in cases.map { left.merging($0) } }
    for (first, left) in cases.enumerated() {
      for second in cases.indices {
        for (third, right) in cases.enumerated()
        where pairs[first][second].merging(right) != left.merging(pairs[second][third]) {
          return "\(left)\nmerged with \(cases[second])\nand \(right)\ndepends on the grouping"
        }
      }
    }
    return nil
  }

  static func brokenIdempotence<Case: Lattice>(_ cases: [Case]) -> String? {
    for left in cases {
      if left.merging(left) != left { return "\(left)\nmerged with itself becomes \(left.merging(left))" }
      for right in cases {
        let both = left.merging(right)
        guard both.merging(left) == both, both.merging(right) == both else {
          return "\(left)\nmerged with \(right)\nchanges when either is merged again"
        }
      }
    }
    return nil
  }
}
