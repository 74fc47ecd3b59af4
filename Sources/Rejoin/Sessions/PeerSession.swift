import RejoinCore

/// One meeting of two replicas over any stream of bytes, in both directions, as a state machine: it says what is to be
/// sent and takes in what has arrived.
///
/// Both ends say how far they have come, then each sends the other what it lacks, page by page. What must survive is in
/// the replica's store before the next bytes are handed out; a session may be dropped at any moment, and the next one
/// with the same peer goes on where it was. See <doc:PeerSessions>.
public struct PeerSession {
  /// What was done so far.
  public private(set) var report = SessionReport()

  /// Whether both ends have merged all that the other one had.
  public var isOver: Bool { hasGiven && hasTaken }

  /// The replica of this end.
  public let replica: Replica
  private let pageBytes: Int
  private var peer: SessionMessage.Hello?
  private var hasGiven = false
  private var hasTaken = false
  private var arrived: [UInt8] = []
  /// Where the other end said that pages go on, when it last did; and how often it did without getting on.
  private var asked = PagePosition()
  private var standstills = 0
  private var misplaced = 0

  /// Starts a session of a replica; nothing is said yet.
  ///
  /// - Parameters:
  ///   - replica: this end.
  ///   - pageBytes: about how many bytes of registers a page holds that this end sends.
  public init(_ replica: Replica, pageBytes: Int = 256 << 10) {
    self.replica = replica
    self.pageBytes = max(1, pageBytes)
  }

  /// What this end says first; the other end need not have spoken before.
  public mutating func start() throws -> [UInt8] {
    send([
      .hello(
        SessionMessage.Hello(
          formats: DeltaFormat.supported, dataset: replica.dataset, sender: try replica.sender(),
          wallMilliseconds: replica.now.milliseconds, vector: replica.version,
          kept: try replica.keptPositions()))
    ])
  }

  /// Takes in bytes as they arrive, in pieces of any length; what is to be sent in return.
  ///
  /// - Throws: `CodingError` for what is no session or of a newer version, ``SessionError``, `ReplicaError`, and what the
  ///   store throws. The session is over then; send what ``refusal(of:)`` says, so that the other end knows.
  public mutating func receive(_ bytes: [UInt8]) throws -> [UInt8] {
    report.bytesReceived += bytes.count
    arrived += bytes
    var answers: [SessionMessage] = []
    var start = 0
    while let (message, end) = try SessionMessage.next(in: arrived, from: start) {
      start = end
      answers += try take(message)
    }
    arrived.removeFirst(start)
    return send(answers)
  }

  /// Tells the other end why this one goes: in a word, without anything of its data.
  public func refusal(of error: any Error) -> [UInt8] {
    let refusal: SessionError.Refusal =
      switch error {
      case CodingError.upgradeRequired: .format
      case is CodingError: .notUnderstood
      case ReplicaError.differentDataset: .otherDataset
      case ReplicaError.replicaForked, SessionError.sameReplica: .sameReplica
      default: .failure
      }
    return SessionMessage.refusal(refusal).frame
  }

  private mutating func send(_ messages: [SessionMessage]) -> [UInt8] {
    let bytes = messages.flatMap(\.frame)
    report.bytesSent += bytes.count
    return bytes
  }

  // MARK: What the other end says

  private mutating func take(_ message: SessionMessage) throws -> [SessionMessage] {
    switch message {
    case .hello(let hello): return try meet(hello)
    case .page(let page): return try keep(page)
    case .nothing:
      guard peer != nil, !hasTaken else { throw SessionError.outOfTurn(replica: replica.id) }
      hasTaken = true
    case .position(let position): return try goOn(position)
    case .merged:
      guard peer != nil, !hasGiven else { throw SessionError.outOfTurn(replica: replica.id) }
      hasGiven = true
    case .refusal(let refusal): throw SessionError.refused(replica: replica.id, refusal)
    }
    return []
  }

  private mutating func meet(_ hello: SessionMessage.Hello) throws -> [SessionMessage] {
    guard peer == nil else { throw SessionError.outOfTurn(replica: replica.id) }
    guard DeltaFormat.negotiated(with: hello.formats) != nil else {
      throw CodingError.upgradeRequired(
        format: hello.formats.lowerBound, supported: DeltaFormat.supported)
    }
    guard hello.sender.replica != replica.id else { throw SessionError.sameReplica(replica: replica.id) }
    let isOpen = hello.vector.isEmpty || replica.version.isEmpty
    guard hello.dataset == replica.dataset || isOpen else {
      throw ReplicaError.differentDataset(
        replica: replica.id, own: replica.dataset, other: hello.dataset)
    }
    peer = hello
    report.peer = hello.sender.replica
    report.clockOffsetMilliseconds = hello.wallMilliseconds - replica.now.milliseconds
    let kept = hello.kept.first { $0.sender == replica.id }
    asked = kept?.position ?? PagePosition(vector: hello.vector)
    // Pages that are kept are merged only with a last one, also where that holds nothing.
    if kept == nil, hello.vector.covers(replica.version) {
      hasGiven = true
      return [.nothing]
    }
    return [try page(after: asked)]
  }

  private mutating func page(after position: PagePosition) throws -> SessionMessage {
    let page = try replica.page(after: position, byteLimit: pageBytes)
    report.sent.note(page.delta)
    return .page(page)
  }

  private mutating func keep(_ page: DeltaPage) throws -> [SessionMessage] {
    guard let peer, !hasTaken else { throw SessionError.outOfTurn(replica: replica.id) }
    let channel = PeerSession.channel(of: peer.sender.replica)
    switch try replica.stage(page, from: peer.sender, in: channel) {
    case .kept: report.received.note(page.delta)
    case .outOfPlace:
      misplaced += 1
      guard misplaced < 3 else { throw SessionError.doesNotMove(replica: replica.id) }
    case .merged(let merged):
      report.received.note(page.delta)
      report.merged = merged
      hasTaken = true
      return [.merged]
    }
    return [.position(try replica.position(in: channel))]
  }

  private mutating func goOn(_ position: PagePosition) throws -> [SessionMessage] {
    guard peer != nil, !hasGiven else { throw SessionError.outOfTurn(replica: replica.id) }
    // It may have to begin anew, but not for ever.
    let hasMoved = position != asked && position.vector.covers(asked.vector)
    standstills += hasMoved ? 0 : 1
    guard standstills < 3 else { throw SessionError.doesNotMove(replica: replica.id) }
    asked = position
    return [try page(after: position)]
  }

  /// The name under which a peer's pages are kept.
  static func channel(of peer: ReplicaID) -> String { "\(channelPrefix)\(peer)" }

  fileprivate static let channelPrefix = "peer "
}

extension Replica {
  /// Where the pages go on that are kept of peers.
  fileprivate func keptPositions() throws -> [SessionMessage.Kept] {
    try reading { engine in
      try Stage.channels(in: engine.store).compactMap { channel in
        guard channel.hasPrefix(PeerSession.channelPrefix),
          let peer = ReplicaID(String(channel.dropFirst(PeerSession.channelPrefix.count)))
        else { return nil }
        return SessionMessage.Kept(sender: peer, position: try engine.position(in: channel))
      }
    }
  }
}
