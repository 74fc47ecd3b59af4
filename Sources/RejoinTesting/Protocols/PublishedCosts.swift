/// What was published of a setting: BP+RR's units, and of other protocols the ratio to them.
///
/// Source: the raw data that accompanies Enes, Almeida, Baquero, Leitão, *Efficient Synchronization of State-based
/// CRDTs* (ICDE 2019). Its Scuttlebutt is the one with the matrix.
public struct PublishedCosts: Sendable {
  /// What BP+RR sent: elements and metadata.
  public let units: Int

  /// How many units other protocols sent for each one of BP+RR's.
  public let ratios: [ProtocolComparison.Contender: Double]

  /// The figures of a setting; nil when there are none.
  public init?(_ topology: ProtocolComparison.Topology, _ workload: ProtocolComparison.Workload) {
    switch (topology, workload) {
    case (.tree, .gset): self.init(26_686, 81.96, 80.77, 1.00, 1.79, 27.17)
    case (.tree, .gmap(10)): self.init(152_668, 17.41, 16.93, 1.00, 1.96, 5.57)
    case (.tree, .gmap(30)): self.init(446_580, 6.23, 6.19, 1.00, 1.99, 2.56)
    case (.tree, .gmap(60)): self.init(866_291, 3.26, 3.25, 1.00, 1.99, 1.79)
    case (.tree, .gmap(100)): self.init(1_401_307, 2.03, 2.01, 1.00, 1.99, 1.49)
    case (.mesh, .gset): self.init(81_035, 58.44, 56.93, 56.74, 1.26, 18.73)
    case (.mesh, .gmap(10)): self.init(494_572, 11.08, 11.17, 11.20, 1.30, 3.62)
    case (.mesh, .gmap(30)): self.init(1_459_633, 4.03, 4.06, 4.07, 1.30, 1.67)
    case (.mesh, .gmap(60)): self.init(2_836_147, 2.11, 2.11, 2.12, 1.30, 1.17)
    case (.mesh, .gmap(100)): self.init(4_605_493, 1.33, 1.32, 1.31, 1.30, 0.97)
    default: return nil
    }
  }

  private init(
    _ units: Int, _ stateBased: Double, _ deltaBased: Double, _ bp: Double, _ rr: Double, _ matrix: Double
  ) {
    self.units = units
    ratios = [
      .stateBased: stateBased, .deltaBased: deltaBased, .bp: bp, .rr: rr, .scuttlebuttMatrix: matrix,
    ]
  }
}
