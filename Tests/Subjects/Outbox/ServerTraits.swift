import RejoinCore

/// How a server is made, for the whole of a history.
package struct ServerTraits {
  /// Whether an update on an older version is refused, or simply carried out.
  package var isStrict = true
  /// Whether it gives inserted rows ids of its own; its rows then repeat the device's.
  package var givesIDs = false
  /// Whether its times are ISO 8601 texts with microseconds, or milliseconds.
  package var writesMicroseconds = false
  /// The step of its clock, in milliseconds: what is written within one has one time.
  package var clockStep: Int64 = 1
  /// Whether a page holds what the device that asks wrote itself.
  package var echoesOwnWrites = true
  /// Whether pages come from a copy that lags behind what is acknowledged.
  package var isLagging = false
  /// Whether it refuses some of the values that devices write.
  package var refusesValues = false
  /// Whether it refuses entries that were made more than a minute after its own time.
  package var refusesFuture = false
  /// Whether it gives a key that was refused the same answer for ever.
  package var remembersRefusals = false
  /// Whether it refuses a child without a parent.
  package var checksParents = false
  /// How many bytes a request may have.
  package var byteLimit: Int?
  /// How many entries a request may have.
  package var entryLimit: Int?
  /// Whether it says when it has begun anew; else it only does not know the cursors any more.
  package var saysEpoch = true

  /// A server without faults.
  package init(isStrict: Bool = true) { self.isStrict = isStrict }

  /// A server as chance makes it.
  init(using generator: inout SplitMix64) {
    func chance(_ one: UInt64) -> Bool { generator.next() % one == 0 }
    isStrict = chance(2)
    givesIDs = chance(3)
    writesMicroseconds = chance(2)
    clockStep = chance(3) ? 20_000 : 1
    // A server that takes what it should have refused must show devices what they did not see.
    echoesOwnWrites = !isStrict || !chance(3)
    isLagging = chance(4)
    refusesValues = chance(2)
    refusesFuture = chance(4)
    remembersRefusals = chance(2)
    checksParents = !givesIDs && chance(3)
    byteLimit = [nil, nil, nil, 620, 1_000][Int(generator.next() % 5)]
    entryLimit = [nil, nil, 2][Int(generator.next() % 3)]
    saysEpoch = chance(2)
  }
}

extension ModelServer {
  /// What may go wrong with one request.
  package enum Fault {
    case none, lostRequest, lostAnswer, repeatedRequest, tooLarge, busyEntries, missingAnswer
    case correction, noVersion, refusedBatch, bareConflict
    /// The answers to a batch come in another order.
    case reorderedAnswers
    /// A page begins before its cursor, with rows that were shown already.
    case earlierPage
    /// A page without rows that says there is more; its cursor moves on or stays.
    case emptyPage(isMoving: Bool)
    /// The cursor is not known, although it is one.
    case unknownCursor
    /// Somebody answers with this status and body, and nothing is done.
    case refused(status: Int, body: String)
    /// Everything is done, and yet somebody answers with this status.
    case lateRefusal(status: Int)

    private static let plain: [Fault] = [
      .lostRequest, .lostAnswer, .repeatedRequest, .tooLarge, .busyEntries, .missingAnswer, .correction,
      .noVersion, .refusedBatch, .bareConflict, .reorderedAnswers, .earlierPage, .emptyPage(isMoving: false), .emptyPage(isMoving: true),
    ]

    private static let statuses = [
      302, 400, 401, 403, 404, 408, 409, 410, 412, 413, 418, 422, 425, 426, 429, 500, 502, 503, 504,
    ]

    private static let bodies = [
      "", "{}", "null", "<html>Sign in</html>", #"{"error":"no"}"#, #"{"results":[]}"#, #"{"results":"#,
    ]

    /// One of all, none in two of three cases.
    static func random(using generator: inout SplitMix64) -> Fault {
      func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
      guard below(3) == 0 else { return .none }
      switch below(20) {
      case ..<4: return .refused(status: statuses[below(statuses.count)], body: bodies[below(bodies.count)])
      case 4: return .lateRefusal(status: [500, 502, 504, 200][below(4)])
      case 5: return .refused(status: 200, body: bodies[below(bodies.count)])
      case 6: return below(4) == 0 ? .unknownCursor : .none
      default: return plain[below(plain.count)]
      }
    }
  }
}
