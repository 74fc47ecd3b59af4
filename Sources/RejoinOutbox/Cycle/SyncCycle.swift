import Rejoin
import RejoinCore

/// One exchange with a server, push before pull, as a state machine: it says which request is next and takes in what
/// became of it.
///
/// Everything that must survive is in the replica's store before a request is handed out, and after an answer was taken
/// in; a cycle that is dropped between any two steps loses nothing. Whoever drives it makes one request at a time.
public struct SyncCycle {
  /// What was done so far.
  public private(set) var report = CycleReport()

  /// Which way an exchange goes.
  public enum Direction: Hashable, Sendable {
    /// Push, then pull.
    case both
    /// What is written here goes out; nothing is fetched.
    case push
    /// What is new comes in; nothing is sent.
    case pull
  }

  private enum Phase {
    case beginning
    case pushing
    case pulling
    case over
  }

  private let replica: Replica
  private let configuration: OutboxConfiguration
  private let dialect: any Dialect
  private let direction: Direction
  private var phase = Phase.beginning
  private var sent: [OutboxEntry] = []
  private var cursors: Set<String> = []
  private var pagesWithoutMove = 0
  private var nextBatchLimit: Int?
  private var waits: Waits
  private let process: OutboxProcess
  private var holdsLease = false
  /// Observers are told once what all pages brought: local state first, then the server's, then observers.
  private let load: HeldLoad

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
  /// - Throws: ``OutboxError/damagedState(_:)``, and what the store throws.
  public mutating func next() throws -> HTTPRequest? {
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
      phase = .pulling
      if direction == .push {
        end()
        try giveBackLease()
      }
    }
    guard phase == .pulling else { return nil }
    report.pull.requests += 1
    return dialect.pull(from: try cursor(), configuration)
  }

  /// Where the next page begins; the first one of an exchange a little before that, where the server's cursors allow it.
  private func cursor() throws -> String? {
    let cursor = try replica.peek(at: configuration.server) { try $0.text("cursor") }
    guard let cursor, report.pull.requests == 1 else { return cursor }
    return dialect.cursor(cursor, movedBackBy: configuration.lookBackMilliseconds) ?? cursor
  }

  /// Takes in what became of the request; nil when the server could not be reached.
  ///
  /// - Throws: ``OutboxError/pullDoesNotMove``, ``OutboxError/damagedState(_:)``, and what the store throws.
  public mutating func receive(_ response: HTTPResponse?) throws {
    do {
      try take(response)
    } catch {
      end()
      try? giveBackLease()
      throw error
    }
    if phase == .over { try giveBackLease() }
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
    case 500 where phase == .pushing: return try receiveFailure(response)
    case 408, 425, 429, 500...599: return try receiveBusy(response)
    default: break
    }
    switch phase {
    case .pushing: try receivePush(response)
    case .pulling: try receivePull(response)
    case .beginning, .over: break
    }
  }

  private mutating func stop(_ reason: StopReason) {
    if phase == .pushing { report.push.stopped = reason }
    if phase == .pulling { report.pull.stopped = reason }
    end()
  }

  private mutating func end() {
    phase = .over
    load.end()
  }

  // MARK: Pushing

  /// The size that was good last time, or what is asked for.
  private func batchLimit(_ transaction: borrowing ServerTransaction) throws -> Int {
    if let nextBatchLimit { return nextBatchLimit }
    let known = try transaction.number("batch")
    return known > 0 ? min(Int(clamping: known), configuration.batchLimit) : configuration.batchLimit
  }

  /// Freezes what goes out next; false when another process is exchanging.
  private mutating func freeze() throws -> Bool {
    let (isFirst, process, direction, waits) = (report.push.requests == 0, process, direction, waits)
    let frozen: (entries: [OutboxEntry], letters: [DeadLetter])? = try replica.exchange(
      with: configuration.server
    ) { transaction in
      guard try !transaction.isLeased(against: process) else { return nil }
      if isFirst { try transaction.readQuarantineAgain(configuration) }
      try transaction.cut(configuration)
      let frozen = try transaction.freeze(
        configuration, limit: direction == .pull ? 0 : batchLimit(transaction), waits)
      if !frozen.entries.isEmpty { try transaction.lease(to: process) }
      return frozen
    }
    guard let frozen else { return false }
    sent = frozen.entries
    report.push.rejected += frozen.letters
    holdsLease = holdsLease || !sent.isEmpty
    return true
  }

  private mutating func receivePush(_ response: HTTPResponse) throws {
    if response.status == 413 { return try receiveTooLarge() }
    let answers: [EntryAnswer?]
    do {
      answers = try dialect.answers(to: sent, in: response)
    } catch {
      return try receiveForeign(response)
    }
    nextBatchLimit = nil
    try take(answers)
  }

  /// An entry of which nothing is said is sent again under its key.
  private mutating func take(_ answers: [EntryAnswer?]) throws {
    let (sent, configuration) = (sent, configuration)
    report.push = try replica.exchange(with: configuration.server) { [report] transaction in
      var push = report.push
      for (entry, answer) in zip(sent, answers) {
        let answer = answer ?? .retryLater(afterMilliseconds: nil, reason: "no answer")
        try transaction.take(answer, to: entry, configuration, &push)
      }
      try transaction.endServerWait()
      return push
    }
  }

  /// Half of it may be small enough; a single entry never is.
  private mutating func receiveTooLarge() throws {
    guard sent.count > 1 else { return try take([.rejected(reason: DeadLetter.tooLarge)]) }
    let limit = max(1, sent.count / 2)
    nextBatchLimit = limit
    try replica.exchange(with: configuration.server) { try $0.keep(number: Int64(limit), as: "batch") }
  }

  /// A batch that is refused as a whole is halved until the entry that is to blame stands alone.
  private mutating func receiveForeign(_ response: HTTPResponse) throws {
    guard response.status == 400 || response.status == 422, Wire.json(response) != nil else {
      return stop(.foreignAnswer(status: response.status))
    }
    guard sent.count > 1 else { return try take([.rejected(reason: "status \(response.status)")]) }
    nextBatchLimit = sent.count / 2
  }

  /// The server failed, maybe at one of the entries: the one that is to blame is looked for as above, and is put off.
  private mutating func receiveFailure(_ response: HTTPResponse) throws {
    if let sole = sent.first, sent.count == 1 { return try receiveBusy(response, puttingOff: sole) }
    nextBatchLimit = sent.count / 2
  }

  /// The server is left alone for a while, and no entry is to blame.
  private mutating func receiveBusy(_ response: HTTPResponse, puttingOff sole: OutboxEntry? = nil) throws {
    let configuration = configuration
    report.push = try replica.exchange(with: configuration.server) { [report] transaction in
      var push = report.push
      let wait = RetryAfter.milliseconds(in: response, wallMilliseconds: transaction.wallMilliseconds)
      if let sole {
        let answer = EntryAnswer.retryLater(afterMilliseconds: wait, reason: "status \(response.status)")
        try transaction.take(answer, to: sole, configuration, &push)
      }
      try transaction.beginServerWait(wait)
      return push
    }
    stop(.busy(status: response.status))
  }

  // MARK: Pulling

  private mutating func receivePull(_ response: HTTPResponse) throws {
    if dialect.saysUnknownCursor(response) { return try startAgain() }
    let page: PullPage
    do {
      guard 200..<300 ~= response.status else { throw ForeignAnswer() }
      page = try dialect.page(in: response)
    } catch {
      return stop(.foreignAnswer(status: response.status))
    }
    let (configuration, process) = (configuration, process)
    load.begin()
    let (isNewEpoch, moved, quarantined) = try replica.exchange(with: configuration.server, isHeld: true) {
      transaction in
      // What was written since the push has to be known as unsent before a row is held against it.
      try transaction.cut(configuration)
      let taken = try transaction.take(page, configuration)
      if page.hasMore { try transaction.lease(to: process) }
      return taken
    }
    holdsLease = holdsLease || page.hasMore
    if isNewEpoch { return try startAgain() }
    report.pull.pages += 1
    report.pull.rows += page.rows.count
    report.pull.quarantined += quarantined
    guard page.hasMore else { return end() }
    try requireMove(moved, to: page.cursor)
  }

  private mutating func requireMove(_ moved: Bool, to cursor: String?) throws {
    pagesWithoutMove = moved ? 0 : pagesWithoutMove + 1
    guard pagesWithoutMove < 2, !moved || cursors.insert(cursor ?? "").inserted else {
      end()
      throw OutboxError.pullDoesNotMove
    }
  }

  /// Starts again from nothing: what the server was known to hold says nothing any more, and nothing is deleted.
  private mutating func startAgain() throws {
    guard !report.pull.hasStartedAgain else { return stop(.foreignAnswer(status: 200)) }
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
    try endServerWait()
    guard let cursor = page.cursor, try text("cursor") != cursor else { return (false, false, quarantined) }
    try keep(text: cursor, as: "cursor")
    return (false, true, quarantined)
  }
}
