/// What stands where from left to right: the steps' numbers, the replicas' lanes, the words.
///
/// Narrow enough to be read on a telephone unless there are many replicas: about 58 columns.
struct TraceGrid: Hashable, Sendable {
  static let margin = 12
  private static let digitWidth = 7

  /// The room on either side of a lane that belongs to it alone.
  static let laneReach = 20

  private static let idealWidth = 464
  private static let wordColumns = 27...40

  /// How many digits the steps' numbers have, at most, and at least three.
  let numberColumns: Int

  var numberWidth: Int { numberColumns * Self.digitWidth }

  /// Where each replica's lane is.
  let lanes: [Int]

  /// How many messages are under way side by side, at most, between each lane and the next.
  private let trackCounts: [Int]

  /// The gaps whose first message goes to the right: their tracks are taken from the right, so that messages which
  /// arrive in order never cross.
  private let gapsFromTheRight: Set<Int>

  /// The room for what each replica shows in the end, below its lane.
  let outcomeColumns: Int

  /// Where words begin.
  let wordsX: Int

  let width: Int

  init(_ trace: Trace, _ flights: [Flight]) {
    numberColumns = max("\(trace.skippedSteps + trace.rows.count)".count, 3)
    trackCounts = (0..<max(trace.replicaCount - 1, 0)).map { gap in
      flights.filter { $0.gap == gap }.map { $0.track + 1 }.max() ?? 0
    }
    gapsFromTheRight = Set(
      trackCounts.indices.filter { gap in
        flights.first { $0.gap == gap }.map { $0.sender < $0.receiver } ?? false
      })
    let gap = trace.replicaCount < 4 ? 60 : trace.replicaCount < 5 ? 48 : 42
    outcomeColumns = (gap - 6) / TextStyle(.outcome).advance
    var x = Self.margin + numberColumns * Self.digitWidth + Self.laneReach + 4
    var lanes = trace.replicaCount > 0 ? [x] : []
    for tracks in trackCounts {
      x += max(gap, 16 * (tracks + 1))
      lanes.append(x)
    }
    self.lanes = lanes
    wordsX = x + Self.laneReach + 16
    let advance = TextStyle(.step).advance
    let columns = (Self.idealWidth - Self.margin - wordsX) / advance
    let (fewest, most) = (Self.wordColumns.lowerBound, Self.wordColumns.upperBound)
    width = wordsX + min(max(columns, fewest), most) * advance + Self.margin
  }

  /// Where a message runs down: the tracks of a gap share it evenly.
  func trackX(of flight: Flight) -> Int {
    let (left, right) = (lanes[flight.gap], lanes[flight.gap + 1])
    let parts = trackCounts[flight.gap] + 1
    let part = gapsFromTheRight.contains(flight.gap) ? parts - flight.track - 1 : flight.track + 1
    return left + (right - left) * part / parts
  }
}
