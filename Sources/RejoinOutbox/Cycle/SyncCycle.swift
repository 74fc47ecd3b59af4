import Rejoin
import RejoinCore

/// One exchange with a server, push before pull, as a state machine: it says which request is next and takes in what
/// became of it.
///
/// Everything that must survive is in the replica's store before a request is handed out, and after an answer was taken
/// in; a cycle that is dropped between any two steps loses nothing. Whoever drives it makes one request at a time.
public struct SyncCycle {
  /// What was done so far.
  public internal(set) var report = CycleReport()

  /// Which way an exchange goes.
  public enum Direction: Hashable, Sendable {
    /// Push, then pull.
    case both
    /// What is written here goes out; nothing is fetched.
    case push
    /// What is new comes in; nothing is sent.
    case pull
  }

  enum Phase {
    case beginning
    case pushing
    case pulling
    case over
  }

  let replica: Replica
  let configuration: OutboxConfiguration
  let dialect: any Dialect
  let direction: Direction
  let process: OutboxProcess
  var phase = Phase.beginning
  private var holdsLease = false
  /// Observers are told once what all pages brought: local state first, then the server's, then observers.
  private let load: HeldLoad

  /// What the request that is under way sends.
  var sent: [OutboxEntry] = []
  /// How many entries the next request may have, where that is less than usual.
  var nextBatchLimit: Int?
  /// The size that is left of batches which were too large, until a batch of it is answered.
  var triedBatchLimit: Int?
  /// Entries that failed alone, since any other request was answered.
  var suspects: [Suspect] = []
  var waits: Waits
  /// Whether the server was busy several times in a row: maybe because of one of the entries.
  private var isLongBusy = false
  /// How far what was written here is known to the lanes that were last asked for something to send.
  private(set) var taken = Frontier()

  /// Where the kept cursor stood when the page that is under way was asked for.
  private var asked: String?
  /// The cursor that was sent for it.
  private var requested: String?
  /// Where it stood behind the last page.
  private var reached: String?
  private var progress = PullProgress()

  init(_ outbox: Outbox, _ direction: Direction, ignoringWaits: Bool, _ process: OutboxProcess) {
    replica = outbox.replica
    configuration = outbox.configuration
    dialect = outbox.dialect
    self.direction = direction
    self.process = process
    waits = Waits(areIgnored: ignoringWaits)
    load = HeldLoad(outbox.replica)
  }

  /// The request that is to be made next; nil when the cycle is over.
  ///
  /// - Throws: ``OutboxError/damagedState(_:)``, and what the store throws; then the cycle is over.
  public mutating func next() throws -> HTTPRequest? {
    try endingOnError { cycle in
      let request = try cycle.nextRequest()
      if cycle.phase == .over { try cycle.giveBackLease() }
      return request
    }
  }

  private mutating func nextRequest() throws -> HTTPRequest? {
    if phase == .beginning {
      phase = .pushing
      if !waits.areIgnored, let wait = try replica.peek(at: configuration.server, { try $0.serverWait() }) {
        stop(.waiting(milliseconds: wait))
      }
    }
    if phase == .pushing {
      guard try freeze() else {
        stop(.runsElsewhere)
        return nil
      }
      if !sent.isEmpty {
        waits.tried.formUnion(sent.map(\.subject))
        report.push.requests += 1
        return dialect.push(sent, configuration)
      }
      try endPushing()
    }
    guard phase == .pulling else { return nil }
    requested = try cursor()
    guard let request = dialect.pull(from: requested, configuration) else {
      end()
      return nil
    }
    report.pull.requests += 1
    return request
  }

  /// Where the next page begins; the first one of an exchange a little before that, where the server's cursors allow it.
  private mutating func cursor() throws -> String? {
    asked = try replica.peek(at: configuration.server) { try $0.text("cursor") }
    // Somebody else has moved it or taken it away: cursors that were seen may come again.
    if asked != reached { progress = PullProgress() }
    guard let cursor = asked, report.pull.requests == 0 else { return asked }
    return dialect.cursor(cursor, movedBackBy: configuration.lookBackMilliseconds) ?? cursor
  }

  /// Takes in what became of the request; nil when the server could not be reached.
  ///
  /// - Throws: ``OutboxError/pullDoesNotMove``, ``OutboxError/damagedState(_:)``, and what the store throws; then the
  ///   cycle is over.
  public mutating func receive(_ response: HTTPResponse?) throws {
    try endingOnError { cycle in
      try cycle.take(response)
      if cycle.phase == .over { try cycle.giveBackLease() }
    }
  }

  /// Ends the cycle before its time: what it was about to do is left to the next one.
  mutating func abandon() {
    end()
    try? giveBackLease()
  }

  /// An error ends the cycle, so that it keeps no other process out.
  private mutating func endingOnError<Result>(_ body: (inout SyncCycle) throws -> Result) throws -> Result {
    do {
      return try body(&self)
    } catch {
      abandon()
      throw error
    }
  }

  private mutating func giveBackLease() throws {
    guard holdsLease else { return }
    holdsLease = false
    try replica.exchange(with: configuration.server) { [process] in try $0.endLease(of: process) }
  }

  private mutating func take(_ response: HTTPResponse?) throws {
    guard let response else { return stop(.unreachable) }
    switch response.status {
    case 401, 403: return stop(.signedOut)
    case 426: return stop(.upgradeRequired)
    case 500 where phase == .pushing: return try receiveUnclear(response)
    case 501...599 where phase == .pushing:
      isLongBusy = try isLongBusy || replica.peek(at: configuration.server) { try $0.isLongBusy() }
      return try isLongBusy ? receiveUnclear(response) : receiveBusy(response)
    case 408, 425, 429, 500...599: return try receiveBusy(response)
    default: break
    }
    switch phase {
    case .pushing: try receivePush(response)
    case .pulling: try receivePull(response)
    case .beginning, .over: break
    }
  }

  mutating func stop(_ reason: StopReason) {
    if phase == .pushing { report.push.stopped = reason }
    if phase == .pulling {
      report.pull.stopped = reason
      // Nothing was answered since they failed, so it is the server's fault.
      if let suspect = suspects.last { report.push.stopped = suspect.stopReason }
    }
    end()
  }

  mutating func end() {
    phase = .over
    load.end()
  }

  /// The server is left alone for a while, and no entry is to blame.
  private mutating func receiveBusy(_ response: HTTPResponse) throws {
    try replica.exchange(with: configuration.server) { transaction in
      try transaction.beginServerWait(
        RetryAfter.milliseconds(in: response, wallMilliseconds: transaction.wallMilliseconds))
    }
    stop(.busy(status: response.status))
  }

  /// Freezes what goes out next; false when another process is exchanging.
  private mutating func freeze() throws -> Bool {
    let (isFirst, process, direction, waits) = (report.push.requests == 0, process, direction, waits)
    let dialect = dialect
    let nextBatchLimit = nextBatchLimit
    typealias Frozen = (entries: [OutboxEntry], letters: [DeadLetter], taken: Frontier)
    let frozen: Frozen? = try replica.exchange(with: configuration.server) { transaction in
      guard try !transaction.isLeased(against: process) else { return nil }
      if isFirst { try transaction.readQuarantineAgain(configuration) }
      let taken = try transaction.cut(configuration)
      let limit = try nextBatchLimit ?? transaction.batchLimit(configuration)
      let frozen = try transaction.freeze(
        dialect, configuration, limit: direction == .pull ? 0 : limit, waits)
      if !frozen.entries.isEmpty { try transaction.lease(to: process) }
      return (frozen.entries, frozen.letters, taken)
    }
    guard let frozen else { return false }
    (sent, taken) = (frozen.entries, frozen.taken)
    report.push.rejected += frozen.letters
    holdsLease = holdsLease || !sent.isEmpty
    return true
  }

  // MARK: Pulling

  private mutating func receivePull(_ response: HTTPResponse) throws {
    if dialect.saysUnknownCursor(response) { return try startAgain(response.status) }
    let page: PullPage
    do {
      guard 200..<300 ~= response.status else { throw ForeignAnswer() }
      page = try dialect.page(in: response, from: requested)
    } catch {
      return stop(.foreignAnswer(status: response.status))
    }
    let (configuration, process, asked, suspects) = (configuration, process, asked, suspects)
    load.begin()
    typealias Taken = (isNewEpoch: Bool, hasMoved: Bool, quarantined: Int, push: DrainReport)
    let taken: Taken? = try replica.exchange(with: configuration.server, isHeld: true) {
      [report] transaction in
      // What was written since the push has to be known as unsent before a row is held against it.
      try transaction.cut(configuration)
      // Somebody else in this process has taken in pages meanwhile: this one is older than what the cursor says.
      guard try transaction.text("cursor") == asked else { return nil }
      var push = report.push
      try transaction.blame(suspects, configuration, &push)
      let taken = try transaction.take(page, configuration)
      if push.stopped == nil { try transaction.endServerWait() }
      if page.hasMore { try transaction.lease(to: process) }
      return (taken.isNewEpoch, taken.hasMoved, taken.quarantined, push)
    }
    guard let taken else { return }
    reached = page.cursor ?? asked
    self.suspects = []
    report.push = taken.push
    holdsLease = holdsLease || page.hasMore
    if taken.isNewEpoch { return try startAgain(response.status) }
    report.pull.pages += 1
    report.pull.rows += page.rows.count
    report.pull.quarantined += taken.quarantined
    guard page.hasMore else { return end() }
    guard progress.note(page, hasMoved: taken.hasMoved) else { throw OutboxError.pullDoesNotMove }
  }

  /// Starts again from nothing: what the server was known to hold says nothing any more, and nothing is deleted.
  private mutating func startAgain(_ status: Int) throws {
    // Who does not know where everything begins speaks of something else.
    guard requested != nil || 200..<300 ~= status, !report.pull.hasStartedAgain else {
      return stop(.foreignAnswer(status: status))
    }
    report.pull.hasStartedAgain = true
    try replica.exchange(with: configuration.server) { transaction in
      try transaction.keep(text: nil, as: "cursor")
      try transaction.keep(number: transaction.number("epoch") + 1, as: "epoch")
      try transaction.keep(text: nil, as: "server-epoch")
    }
  }
}

extension ServerTransaction {
  /// Takes in a page with its cursor; one of another epoch only says so.
  ///
  /// - Returns: whether the epoch is another, whether the cursor moved, and how many rows could not be understood.
  mutating func take(
    _ page: PullPage, _ configuration: OutboxConfiguration
  ) throws -> (isNewEpoch: Bool, hasMoved: Bool, quarantined: Int) {
    if let epoch = page.epoch {
      let known = try text("server-epoch")
      if let known, known != epoch { return (true, false, 0) }
      if known == nil { try keep(text: epoch, as: "server-epoch") }
    }
    let quarantined = try takeOrQuarantine(page.rows, configuration) + page.unreadable.count
    for json in page.unreadable { try quarantine(json, configuration) }
    if quarantined == 0 {
      for collection in page.complete.sorted() {
        try takeAbsence(from: page.rows, in: collection, configuration)
      }
    }
    if !page.hasMore { try correctHearsay(configuration) }
    guard let cursor = page.cursor, try text("cursor") != cursor else { return (false, false, quarantined) }
    try keep(text: cursor, as: "cursor")
    return (false, true, quarantined)
  }
}
