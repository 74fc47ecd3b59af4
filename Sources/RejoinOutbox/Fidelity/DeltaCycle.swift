import Rejoin
import RejoinCore

/// One exchange with a server that is a replica, as a state machine: it says which request is next and takes in what
/// became of it.
///
/// What must survive is in the replica's store before the next request is handed out; a cycle that is dropped between
/// any two steps loses nothing, and the next one goes on where it was.
public struct DeltaCycle {
  /// What was done so far.
  public private(set) var report = DeltaExchangeReport()

  private enum Phase {
    case beginning
    case pushing
    case pulling
    case over
  }

  private let exchange: DeltaExchange
  private let ignoresWaits: Bool
  private var phase = Phase.beginning
  private var server: ServerPosition?
  /// The page that is under way.
  private var sent: DeltaPage?
  /// Where the page that was asked for goes on.
  private var asked = PagePosition()
  private var pushBytes: Int
  private var hasPushedAgain = false
  private var circles = CircleDetector()

  init(_ exchange: DeltaExchange, ignoringWaits: Bool) {
    self.exchange = exchange
    ignoresWaits = ignoringWaits
    pushBytes = exchange.pageBytes
  }

  /// The request that is to be made next; nil when the cycle is over.
  ///
  /// - Throws: what the store throws; then the cycle is over.
  public mutating func next() throws -> HTTPRequest? {
    try endingOnError { cycle in
      let request = try cycle.nextRequest()
      if request != nil { cycle.report.requests += 1 }
      return request
    }
  }

  /// Takes in what became of the request; nil when the server could not be reached.
  ///
  /// - Throws: ``DeltaExchangeError``, what `Replica.merge(_:)` throws, and what the store throws; then the cycle is over.
  public mutating func receive(_ response: HTTPResponse?) throws {
    try endingOnError { try $0.take(response) }
  }

  private mutating func endingOnError<Result>(_ body: (inout DeltaCycle) throws -> Result) throws -> Result {
    do {
      return try body(&self)
    } catch {
      phase = .over
      throw error
    }
  }

  private mutating func nextRequest() throws -> HTTPRequest? {
    if phase == .beginning {
      let server = try ServerPosition(exchange)
      self.server = server
      let now = exchange.replica.now.milliseconds
      guard ignoresWaits || BackOff.isOver(server.due, at: now) else {
        stop(.waiting(milliseconds: server.due - now))
        return nil
      }
      phase = .pushing
    }
    if phase == .pushing {
      if let page = try nextPage() {
        sent = page
        return DeltaMessages.push(page, from: try exchange.replica.sender(), exchange)
      }
      phase = .pulling
      circles = CircleDetector()
    }
    guard phase == .pulling else { return nil }
    asked = try exchange.replica.position(in: exchange.channel)
    return DeltaMessages.pull(from: asked, exchange)
  }

  /// What the server lacks; nil where that is nothing.
  ///
  /// A server that never said how far it has come is sent an empty page first, which it answers by saying so.
  private func nextPage() throws -> DeltaPage? {
    guard let position = server?.position else {
      if exchange.replica.version.isEmpty { return nil }
      let nothing = VersionVector()
      return DeltaPage(
        Delta(dataset: exchange.replica.dataset, from: nothing, through: nothing, records: [], entries: []),
        after: nil, end: nil)
    }
    let page = try exchange.replica.page(after: position, byteLimit: pushBytes)
    return page.end == nil && page.start == nil && page.delta.isEmpty ? nil : page
  }

  private mutating func take(_ response: HTTPResponse?) throws {
    guard let response else { return stop(.unreachable) }
    switch response.status {
    case 401, 403: return stop(.signedOut)
    case 426: return stop(.upgradeRequired)
    case 408, 425, 429, 500...599: return try leaveAlone(response)
    default: break
    }
    guard let json = response.json else { return stop(.foreignAnswer(status: response.status)) }
    switch phase {
    case .pushing: try takeReceipt(response, json)
    case .pulling: try takePage(response, json)
    case .beginning, .over: break
    }
  }

  // MARK: Pushing

  private mutating func takeReceipt(_ response: HTTPResponse, _ json: JSON) throws {
    if response.status == 413, pushBytes > 1 {
      pushBytes /= 2
      return
    }
    // A server that does not know what the page goes on from says where it is.
    let isOutOfPlace = response.status == 409
    guard 200..<300 ~= response.status || isOutOfPlace, let position = PagePosition(json) else {
      return try refuse(response, json)
    }
    if !isOutOfPlace, let sent { report.sent.note(sent.delta) }
    sent = nil
    try note(position)
    try keep(position)
  }

  /// Whether the server speaks this protocol and does not want what was sent, or something else has answered.
  private mutating func refuse(_ response: HTTPResponse, _ json: JSON) throws {
    guard !(200..<300 ~= response.status), let reason = response.refusal else {
      return stop(.foreignAnswer(status: response.status))
    }
    if case .string(let text)? = json["dataset"], let other = DatasetID(text) {
      throw ReplicaError.differentDataset(
        replica: exchange.replica.id, own: exchange.replica.dataset, other: other)
    }
    throw DeltaExchangeError.refused(
      replica: exchange.replica.id, status: response.status, reason: reason)
  }

  // MARK: Pulling

  private mutating func takePage(_ response: HTTPResponse, _ json: JSON) throws {
    guard 200..<300 ~= response.status else { return try refuse(response, json) }
    let (page, sender): (DeltaPage, PageSender)
    do {
      (page, sender) = try DeltaPage.read(json, as: "changes")
    } catch {
      return stop(.foreignAnswer(status: response.status))
    }
    guard page.delta.from == asked.vector, page.start == asked.place else {
      return stop(.foreignAnswer(status: response.status))
    }
    switch try exchange.replica.stage(page, from: sender, in: exchange.channel) {
    case .kept: report.fetched.note(page.delta)
    case .outOfPlace: break
    case .merged(let merged):
      report.fetched.note(page.delta)
      report.merged = merged
      // A server that covers less than it said was set back: what it lost is sent once more.
      let wasSetBack = server?.position.map { !page.delta.through.covers($0.vector) } ?? false
      try keep(PagePosition(vector: page.delta.through))
      phase = wasSetBack && !hasPushedAgain ? .pushing : .over
      hasPushedAgain = true
      circles = CircleDetector()
      return
    }
    try note(exchange.replica.position(in: exchange.channel))
  }

  // MARK: Both

  /// The server has answered in the protocol's shape: it is not busy any more.
  private mutating func keep(_ position: PagePosition) throws {
    var server = ServerPosition()
    server.position = position
    self.server = server
    try server.keep(exchange)
  }

  /// Notes where things go on: the same place again means that they do not.
  private mutating func note(_ position: PagePosition) throws {
    let place = position.place.map { " \($0)" } ?? ""
    guard !circles.closes(at: "\(position.vector)\(place)") else {
      throw DeltaExchangeError.doesNotMove(replica: exchange.replica.id)
    }
  }

  private mutating func leaveAlone(_ response: HTTPResponse) throws {
    let now = exchange.replica.now.milliseconds
    let wish = RetryAfter.milliseconds(in: response, wallMilliseconds: now)
    server?.wait(wish, at: now, randomBits: exchange.replica.randomBits())
    try server?.keep(exchange)
    stop(.busy(status: response.status))
  }

  private mutating func stop(_ reason: StopReason) {
    report.stopped = reason
    phase = .over
  }
}
