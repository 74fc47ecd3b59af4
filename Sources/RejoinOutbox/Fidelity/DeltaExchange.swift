public import Rejoin
public import RejoinCore

/// A server that is one more replica: it takes and gives whole deltas, in their JSON form.
///
/// Replicas that meet only through such a server hold, bit by bit, what replicas hold that meet directly. Nothing waits
/// in an outbox, nothing is refused for its content, and no write is ever put into a queue: what the server lacks is
/// found by its version vector. See <doc:FullFidelity>.
public struct DeltaExchange: Sendable {
  /// The replica that is exchanged.
  public let replica: Replica
  /// The name under which the replica's file keeps how far the server has come; it never changes.
  public let server: String
  /// The version of the application's records that the server is told.
  public var schemaVersion: Int
  /// About how many bytes of registers a page holds, both ways: what is there is kept page by page, also where an
  /// exchange is cut off.
  public var pageBytes: Int

  /// Names a server that is a replica.
  public init(_ replica: Replica, server: String = "main", schemaVersion: Int = 1, pageBytes: Int = 256 << 10)
  {
    self.replica = replica
    self.server = server
    self.schemaVersion = schemaVersion
    self.pageBytes = max(1, pageBytes)
  }

  /// The name under which pages are kept that come from the server.
  var channel: String { "server \(server)" }

  /// Starts an exchange; nothing happens until it is driven.
  ///
  /// With `ignoringWaits` it is made although the server was busy a moment ago.
  public func cycle(ignoringWaits: Bool = false) -> DeltaCycle {
    DeltaCycle(self, ignoringWaits: ignoringWaits)
  }

  /// Sends what the server lacks, and fetches what is new there.
  ///
  /// May be cut off at any moment and begun again: what either side keeps of it is not sent twice. Two at a time do no
  /// harm, and send some of it twice.
  ///
  /// - Parameters:
  ///   - connection: how the server is reached.
  ///   - ignoringWaits: whether the server is asked although it was busy a moment ago.
  ///   - progress: told after each answer what was done so far.
  /// - Returns: what was done.
  /// - Throws: `CancellationError`, ``DeltaExchangeError``, what `Replica.merge(_:)` throws, and what the store and the
  ///   connection throw.
  @discardableResult
  public func run(
    over connection: some ServerConnection, ignoringWaits: Bool = false,
    progress: (DeltaExchangeReport) -> Void = { _ in }
  ) async throws -> DeltaExchangeReport {
    var cycle = cycle(ignoringWaits: ignoringWaits)
    while let request = try cycle.next() {
      try Task.checkCancellation()
      try cycle.receive(try await connection.send(request))
      progress(cycle.report)
    }
    return cycle.report
  }
}

/// What an exchange with a server that is a replica did.
public struct DeltaExchangeReport: Hashable, Sendable {
  /// What the server took.
  public internal(set) var sent = PageCounts()
  /// What came from it.
  public internal(set) var fetched = PageCounts()
  /// How many requests were made.
  public internal(set) var requests = 0
  /// What was merged here; nil where the last page did not come.
  public internal(set) var merged: MergeReport?
  /// Why it stopped early; nil when both sides held the same for a moment.
  public internal(set) var stopped: StopReason?

  /// Nothing was done.
  public init() {}
}

/// Why an exchange with a server that is a replica failed; what either side had keeps.
@nonexhaustive
public enum DeltaExchangeError: Error, Hashable, Sendable {
  /// The server's answers do not get on, however often they are asked for: it is at fault, tell whoever runs it.
  case doesNotMove(replica: ReplicaID)
  /// The server does not take what this replica sends: `reason` is its word for it.
  case refused(replica: ReplicaID, status: Int, reason: String)
}

extension DeltaExchangeError: CustomStringConvertible {
  /// What happened and what can be done.
  public var description: String {
    switch self {
    case .doesNotMove(let replica):
      "The exchange of replica \(replica) does not get on: the server's answers repeat themselves; tell whoever runs it."
    case .refused(let replica, let status, let reason):
      "The server refused what replica \(replica) sent (status \(status), \(reason)); nothing is lost. Check that it is a "
        + "server of full fidelity, of this version."
    }
  }
}
