extension ProtocolComparison {
  /// Who is whose neighbour: the two networks of the published experiment.
  public enum Topology: String, Hashable, Sendable, CaseIterable {
    /// Fourteen links without a circle; nobody has more than four neighbours.
    case tree
    /// Thirty links; everybody has four neighbours.
    case mesh

    /// The neighbours of every node.
    public var neighbours: [[Int]] {
      switch self {
      case .tree:
        [
          [1, 8, 13], [0, 6], [5], [10], [5], [4, 6, 2], [1, 10, 5], [13], [9, 0, 14], [8], [12, 3, 6], [13],
          [10], [11, 0, 7], [8],
        ]
      case .mesh:
        [
          [14, 11, 4, 1], [2, 5, 0, 12], [1, 13, 6, 3], [7, 14, 2, 4], [8, 0, 5, 3], [9, 6, 1, 4],
          [5, 7, 10, 2], [3, 11, 6, 8], [4, 9, 12, 7], [5, 8, 10, 13], [11, 6, 9, 14], [10, 7, 0, 12],
          [13, 11, 1, 8], [12, 2, 9, 14], [0, 3, 13, 10],
        ]
      }
    }
  }
}
