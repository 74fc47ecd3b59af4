import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport

/// The model that replicas are held against, not a field's reference to a parent.
typealias Reference = TestSupport.Reference

/// One random history: two or three replicas, each as an engine and as the naive replica, side by side.
struct History {
  /// A replica twice, under one wall clock.
  struct Pair {
    let environment: SimulatedEnvironment
    let engine: Replica
    var reference: ReferenceReplica

    init(seed: UInt64) {
      environment = SimulatedEnvironment(wallMilliseconds: 1_000, seed: seed)
      engine = Replica(
        configuration: environment.configuration(maxDriftMilliseconds: History.driftMilliseconds))
      reference = ReferenceReplica(
        id: engine.id.rawValue, wallMilliseconds: 1_000, driftMilliseconds: History.driftMilliseconds)
    }

    /// Moves the wall clock.
    mutating func pass(milliseconds: Int64) {
      environment.wallMilliseconds = max(environment.wallMilliseconds + milliseconds, 0)
      reference.wallMilliseconds = environment.wallMilliseconds
    }
  }

  /// Something that does not hold.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// What was written, whoever still remembers it.
  struct Truth {
    var stamp: Reference.Stamp
    var record: Int
    /// Nil for an entry of the tombstone set.
    var register: (address: Reference.Address, register: Reference.Register)?
    var life: UInt64
    /// What its writer had covered.
    var past: [UInt64: UInt64]
  }

  /// What was sent, to be delivered again.
  struct Sent {
    var delta: Delta
    var reference: Reference.Delta
  }

  static let driftMilliseconds: Int64 = 5
  static let collection: Collection = "things"
  static let log: LogName = "events"
  static let records = [RecordID(high: 1, low: 1), RecordID(high: 1, low: 2)]
  static let fields: [FieldName] = ["", "a", "b"]
  /// Fields that are a counter and a set, by the numbers that follow.
  static let counted: [FieldName] = ["visits", "labels"]
  static let visits = 3
  static let labels = 4
  /// The first is what an existence register holds.
  static let values: [Value] = [true, 1, 1.0, "a", .null, "é", "e\u{301}", [1, [.null]], ["k": 0.0]]

  var generator: SplitMix64
  var pairs: [Pair]
  var recordCount: Int
  var sent: [Sent] = []
  var truths: [Truth] = []
  var trace: [String] = []

  init(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    pairs = (0..<2 + generator.number(below: 2)).map { _ in Pair(seed: generator.next()) }
    recordCount = 1 + generator.number(below: 2)
    self.generator = generator
  }

  /// Runs all steps and brings everybody together.
  mutating func run() throws {
    for _ in 0..<5 + generator.number(below: 26) {
      try step()
    }
    try reunite()
  }

  private mutating func step() throws {
    let index = generator.number(below: pairs.count)
    switch generator.number(below: 100) {
    case 0..<40: try write(at: index)
    case 40..<46: try failToWrite(at: index)
    case 46..<74: try sync(from: index, to: other(than: index))
    case 74..<80: try deliverAgain(to: index)
    case 80..<84: try deliverWithGap(from: index, to: other(than: index))
    default: try passTime()
    }
  }

  private mutating func other(than index: Int) -> Int {
    (index + 1 + generator.number(below: pairs.count - 1)) % pairs.count
  }

  /// Clocks go on, stand still, run ahead beyond the bound or step back, each for itself.
  private mutating func passTime() throws {
    for index in pairs.indices {
      let step =
        generator.succeeds(percent: 80)
        ? generator.element(of: [0, 1, 1, 2]) : generator.element(of: [6, 20, 40, -1, -7, -30] as [Int64])
      pairs[index].pass(milliseconds: step)
      trace.append("wall \(index) \(pairs[index].environment.wallMilliseconds)")
      try check(index)
    }
  }
}
