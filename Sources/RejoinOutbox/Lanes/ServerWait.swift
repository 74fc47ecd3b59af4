import Rejoin
import RejoinCore

/// The wait of a whole server: one that was busy is left alone for a while, whoever asks and in whichever process.
///
/// The due time is kept like that of a lane, so that a restart does not forget it. What could not reach the server at
/// all says nothing about it, and makes nobody wait.
extension ServerTransaction {
  /// How long the server is still to be left alone, in milliseconds; nil where it may be asked now.
  func serverWait() throws -> Int64? {
    let due = try number("due")
    return BackOff.isOver(due, at: wallMilliseconds) ? nil : due - wallMilliseconds
  }

  /// Whether the server was busy so often in a row that it may be an entry's fault.
  func isLongBusy() throws -> Bool { try number("busy") >= 3 }

  /// Leaves the server alone for as long as it wishes, and longer each time that it is busy again.
  mutating func beginServerWait(_ wish: Int64?) throws {
    let attempts = min(try number("busy"), 16) + 1
    var generator = makeGenerator()
    let wait = BackOff.wait(attempts: Int(attempts), randomBits: generator.next())
    try keep(number: attempts, as: "busy")
    try keep(number: wallMilliseconds + max(BackOff.wish(wish), wait), as: "due")
  }

  /// The server has answered in the protocol's shape: it is not busy any more.
  mutating func endServerWait() throws {
    try keep(text: nil, as: "busy")
    try keep(text: nil, as: "due")
  }
}

/// Whether a cycle minds what waits.
struct Waits {
  /// Whether it sends what was put off before it began.
  let areIgnored: Bool
  /// What it has sent itself; once put off, that waits in any case, or the cycle would never end.
  var tried: Set<Subject> = []
  /// What has failed alone in it, which is not sent again in any case.
  var failed: Set<Subject> = []

  /// Whether a lane may be sent.
  func allow(_ lane: Lane, at wallMilliseconds: Int64) -> Bool {
    if failed.contains(lane.subject) { return false }
    if lane.isDue(at: wallMilliseconds) { return true }
    return areIgnored && lane.stop == nil && !tried.contains(lane.subject)
  }
}
