import Rejoin
import RejoinCore

/// What becomes of what was sent.
extension SyncCycle {
  /// An entry that failed alone, and how.
  struct Suspect {
    var entry: OutboxEntry
    /// The status of the answer.
    var status: Int
    /// How long the server asked to wait, in milliseconds.
    var wish: Int64?

    /// Why an exchange stops where the next one fails as well.
    var stopReason: StopReason { status >= 500 ? .busy(status: status) : .foreignAnswer(status: status) }
  }

  mutating func receivePush(_ response: HTTPResponse) throws {
    if response.status == 413 { return try receiveTooLarge(response) }
    let answers: [EntryAnswer?]
    do {
      answers = try dialect.answers(to: sent, in: response)
    } catch {
      return try receiveRefusal(response)
    }
    try take(answers)
  }

  /// An entry of which nothing is said is sent again under its key.
  private mutating func take(_ answers: [EntryAnswer?]) throws {
    let (sent, goodLimit) = (sent, triedBatchLimit)
    try change { transaction, configuration, push in
      for (number, entry) in sent.enumerated() {
        let said = number < answers.count ? answers[number] : nil
        // What is one thing to the server stands and falls with its first entry; the rest goes out by itself.
        if said == nil, number > 0, configuration.rules.isIndivisible { continue }
        let answer = said ?? .retryLater(afterMilliseconds: nil, reason: "no answer")
        try transaction.take(answer, to: entry, configuration, &push)
      }
      if let goodLimit { try transaction.keep(batchLimit: goodLimit) }
      try transaction.endServerWait()
    }
  }

  /// Takes in an answer, which also shows that the server works: what failed alone before it is to blame for that.
  private mutating func change(
    _ body: (inout ServerTransaction, OutboxConfiguration, inout DrainReport) throws -> Void
  ) throws {
    let (configuration, suspects) = (configuration, suspects)
    report.push = try replica.exchange(with: configuration.server) { [report] transaction in
      var push = report.push
      try transaction.blame(suspects, configuration, &push)
      try body(&transaction, configuration, &push)
      return push
    }
    self.suspects = []
    (nextBatchLimit, triedBatchLimit) = (nil, nil)
  }

  /// The entry to which a verdict on the whole request belongs; nil where that has to be divided first.
  private var soleEntry: OutboxEntry? {
    sent.count == 1 || configuration.rules.isIndivisible ? sent.first : nil
  }

  /// Half of it may be small enough; a single entry never is, and says nothing about the size of batches.
  private mutating func receiveTooLarge(_ response: HTTPResponse) throws {
    guard let entry = soleEntry else {
      nextBatchLimit = sent.count / 2
      triedBatchLimit = nextBatchLimit
      return
    }
    triedBatchLimit = nil
    guard response.refusal == nil else { return try take([.rejected(reason: DeadLetter.tooLarge)]) }
    try change { transaction, configuration, push in
      try transaction.giveUp(entry, reason: DeadLetter.tooLarge, configuration, &push)
    }
  }

  /// A batch that is refused as a whole is halved until the entry that is to blame stands alone.
  private mutating func receiveRefusal(_ response: HTTPResponse) throws {
    guard response.status == 400 || response.status == 422, response.isJSON else {
      return stop(.foreignAnswer(status: response.status))
    }
    guard let reason = response.refusal else { return try receiveUnclear(response) }
    guard soleEntry == nil else { return try take([.rejected(reason: reason)]) }
    nextBatchLimit = sent.count / 2
  }

  /// The server failed, or somebody refused in a shape that is not the protocol's: maybe because of one of the entries.
  ///
  /// The one that is to blame is looked for as above. Once an entry fails alone, the next request, with one other entry
  /// or for a page, tells whose fault it was. Where it is answered, the entry is charged an attempt and put off. Where it
  /// fails as well, the server is taken to be broken, and the push ends: a broken server is not asked about each entry,
  /// and charges none. What failed alone goes behind all others, so that the next exchange begins with those.
  mutating func receiveUnclear(_ response: HTTPResponse) throws {
    guard let entry = soleEntry else {
      nextBatchLimit = sent.count / 2
      return
    }
    let wish = try replica.exchange(with: configuration.server) { transaction in
      try transaction.moveBehindOthers(entry, saying: "status \(response.status)")
      return RetryAfter.milliseconds(in: response, wallMilliseconds: transaction.wallMilliseconds)
    }
    let suspect = Suspect(entry: entry, status: response.status, wish: wish)
    suspects.append(suspect)
    waits.failed.insert(entry.subject)
    nextBatchLimit = 1
    if suspects.count > 1 { try leaveAlone(suspect) }
  }

  /// Nothing is left to send: goes on to the pull, or ends where a push is all.
  mutating func endPushing() throws {
    // Nobody was asked who could have told whose fault it was.
    if isPushAll, let suspect = suspects.last { return try leaveAlone(suspect) }
    phase = .pulling
    if isPushAll { end() }
  }

  /// Whether nothing is fetched, because nobody wants it or the server shows nothing.
  private var isPushAll: Bool { direction == .push || dialect.pull(from: nil, configuration) == nil }

  /// The server is taken to be broken; what it can still show is fetched.
  private mutating func leaveAlone(_ suspect: Suspect) throws {
    if suspect.status >= 500 {
      try replica.exchange(with: configuration.server) { try $0.beginServerWait(suspect.wish) }
    }
    report.push.stopped = suspect.stopReason
    phase = .pulling
    // One that asks to wait is not asked for anything else.
    if isPushAll || suspect.status > 500 { end() }
  }
}

extension ServerTransaction {
  /// Charges an attempt to what failed alone before a server that works, and puts it off.
  mutating func blame(
    _ suspects: [SyncCycle.Suspect], _ configuration: OutboxConfiguration, _ report: inout DrainReport
  ) throws {
    for suspect in suspects {
      let answer = EntryAnswer.retryLater(
        afterMilliseconds: suspect.wish, reason: "status \(suspect.status)")
      try take(answer, to: suspect.entry, configuration, &report)
    }
  }

  /// How many entries a request may have: what is asked for, or less where more was too large within the last hour.
  func batchLimit(_ configuration: OutboxConfiguration) throws -> Int {
    let known = try number("batch")
    guard known > 0, !BackOff.isOver(try number("batch-due"), at: wallMilliseconds) else {
      return configuration.requestLimit
    }
    return min(Int(clamping: known), configuration.requestLimit)
  }

  /// Keeps a size that was answered after larger ones were too large; for an hour, since what is too large for a network
  /// or a proxy on one day need not be so for ever.
  mutating func keep(batchLimit: Int) throws {
    try keep(number: Int64(batchLimit), as: "batch")
    try keep(number: wallMilliseconds + BackOff.longestMilliseconds, as: "batch-due")
  }
}
