import RejoinSQLite
import TestSupport
import Testing

/// The operations of something that was done to a disk, and which fault can strike which of them.
struct FaultPoints: Sendable {
  /// How many operations there were.
  let operationCount: Int
  private let numbers: [FaultyDisk.Fault: [Int]]

  /// Takes down what was done to a disk since its last plan.
  init(of disk: FaultyDisk) {
    let count = disk.operationCount
    operationCount = count
    numbers = Dictionary(
      uniqueKeysWithValues: FaultyDisk.Fault.allCases.map { fault in
        (fault, (1...count).filter { disk.applies(fault, to: $0) })
      })
  }

  /// The operations that a fault can strike.
  func of(_ fault: FaultyDisk.Fault) -> [Int] { numbers[fault] ?? [] }
}

/// Strikes with one fault at every operation that it applies to, and tells at how many.
struct FaultSweep {
  /// What is struck, for the line that tells it.
  let name: String
  let fault: FaultyDisk.Fault
  let points: FaultPoints
  let sharesMemory: Bool

  /// Runs a trial for every operation; it says whether the fault has struck.
  func run(_ trial: (_ point: Int, _ isLasting: Bool) throws -> Bool) throws {
    let all = points.of(fault)
    // A rollback journal is the rare case: there every third operation will do, but for a soak.
    let chosen = all.every(sharesMemory || Seeds.isSoak ? 1 : 3)
    let once = try chosen.filter { try trial($0, false) }
    #expect(once == chosen)
    // A fault that lasts differs little from one that passes; a soak strikes with it everywhere, too.
    let chosenToLast = fault.endsTheProcess ? [] : chosen.every(Seeds.isSoak ? 1 : 4)
    let lasting = try chosenToLast.filter { try trial($0, true) }
    #expect(lasting == chosenToLast)
    print(
      "\(name), \(fault.rawValue)\(sharesMemory ? "" : ", rollback journal"):"
        + " \(once.count) of \(all.count) points"
        + (fault.endsTheProcess ? "" : ", lasting at \(lasting.count)")
        + "; \(points.operationCount) operations")
  }
}

extension FaultyDisk.Fault {
  /// What SQLite may say of it.
  var kinds: [SQLiteError.Kind] {
    switch self {
    case .inputOutput, .lostSync, .powerCut, .kill: [.io, .cantOpen]
    case .full: [.full, .io, .cantOpen]
    case .busy: [.busy]
    case .readOnly: [.readOnly, .cantOpen, .io]
    }
  }
}

/// What `body` throws, of whichever type.
func anyFailure(of body: () throws -> Void) -> (any Error)? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

extension [Int] {
  /// The first element and each that follows it at a distance of `step`.
  fileprivate func every(_ step: Int) -> [Int] { stride(from: 0, to: count, by: step).map { self[$0] } }
}
