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

  private enum Phase {
    case pushing
    case pulling
    case over
  }

  private let replica: Replica
  private let configuration: OutboxConfiguration
  private let dialect: any Dialect
  private var phase = Phase.pushing
  private var sent: [OutboxEntry] = []
  private var cursors: Set<String> = []
  private var pagesWithoutMove = 0
  private var hasRetriedSignedOut = false
  private var nextBatchLimit: Int?
  /// Observers are told once what all pages brought: local state first, then the server's, then observers.
  private let load: HeldLoad

  init(_ replica: Replica, _ configuration: OutboxConfiguration, _ dialect: any Dialect) {
    self.replica = replica
    self.configuration = configuration
    self.dialect = dialect
    load = HeldLoad(replica)
  }

  /// The request that is to be made next; nil when the cycle is over.
  ///
  /// - Throws: ``OutboxError/damagedState(_:)``, and what the store throws.
  public mutating func next() throws -> HTTPRequest? {
    if phase == .pushing {
      sent = try freeze()
      if !sent.isEmpty {
        report.push.requests += 1
        return dialect.push(sent, configuration)
      }
      phase = .pulling
    }
    guard phase == .pulling else { return nil }
    report.pull.requests += 1
    let cursor = try replica.peek(at: configuration.server) { try $0.text("cursor") }
    return dialect.pull(from: cursor, configuration)
  }

  /// Takes in what became of the request; nil when the server could not be reached.
  ///
  /// - Throws: ``OutboxError/pullDoesNotMove``, ``OutboxError/damagedState(_:)``, and what the store throws.
  public mutating func receive(_ response: HTTPResponse?) throws {
    guard let response else { return stop(.unreachable) }
    switch response.status {
    case 401, 403: return stop(.signedOut)
    case 426: return stop(.upgradeRequired)
    case 408, 425, 429, 500...599: return try receiveBusy(response)
    default: break
    }
    switch phase {
    case .pushing: try receivePush(response)
    case .pulling: try receivePull(response)
    case .over: break
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

  private func freeze() throws -> [OutboxEntry] {
    try replica.exchange(with: configuration.server) { transaction in
      try transaction.cut(configuration)
      return try transaction.freeze(configuration, limit: batchLimit(transaction))
    }
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
      return push
    }
  }

  /// Half of it may be small enough; a single entry never is.
  private mutating func receiveTooLarge() throws {
    guard sent.count > 1 else { return try take([.rejected(reason: "tooLarge")]) }
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

  /// The whole request is put off: no entry is to blame, unless it stands alone.
  private mutating func receiveBusy(_ response: HTTPResponse) throws {
    if phase == .pushing, sent.count == 1 {
      let wait = response.header("Retry-After").flatMap { Int64($0) }.map { $0 * 1_000 }
      try take([.retryLater(afterMilliseconds: wait, reason: "status \(response.status)")])
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
    let configuration = configuration
    load.begin()
    let (isNewEpoch, moved) = try replica.exchange(with: configuration.server, isHeld: true) {
      transaction in try transaction.take(page, configuration)
    }
    if isNewEpoch { return try startAgain() }
    report.pull.pages += 1
    report.pull.rows += page.rows.count
    report.pull.quarantined += page.unreadable.count
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
  /// - Returns: whether the epoch is another, and whether the cursor moved.
  mutating func take(_ page: PullPage, _ configuration: OutboxConfiguration) throws -> (Bool, Bool) {
    if let epoch = page.epoch {
      let known = try text("server-epoch")
      if let known, known != epoch { return (true, false) }
      if known == nil { try keep(text: epoch, as: "server-epoch") }
    }
    for row in page.rows {
      do {
        try take(row, configuration)
      } catch is JSONError {
        try quarantine(row.json, entity: row.entity, id: row.id)
      }
    }
    for json in page.unreadable {
      try quarantine(json, entity: Wire.text(json["entity"]) ?? "", id: Wire.text(json["id"]) ?? json.text())
    }
    guard let cursor = page.cursor, try text("cursor") != cursor else { return (false, false) }
    try keep(text: cursor, as: "cursor")
    return (false, true)
  }
}
