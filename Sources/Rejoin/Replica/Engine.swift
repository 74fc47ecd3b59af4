import RejoinCore

/// A replica's state machine: what it knows about itself, over a store.
///
/// One thread at a time.
///
/// Everything that changes goes through `commit`, in one transaction of the store; memory follows
/// only after the store has committed, so that a failure leaves both as they were.
struct Engine {
  let store: any Store
  let environment: ReplicaEnvironment
  let maxDriftMilliseconds: Int64
  let conflictsPerCollection: Int

  /// The version of the application, where it says one.
  let schemaVersion: Int?

  /// The least version that may write, where one was required; kept here, so that no write has to ask the store.
  var requiredSchemaVersion: Int?

  var header: StoreHeader
  var clock: HybridClock
  var vector: VersionVector
  /// The ids under which this replica writes down what servers say.
  var proxies: Set<ReplicaID> = []
  /// Whether somebody has made an adapter for a server, which may not have exchanged with it yet.
  var expectsServer = false
  var policies = PolicyTable()
  var observers = ObserverList<ChangeSet>()
  var held = HeldChanges()
  var diagnosticObservers = ObserverList<Diagnostic>()
  let session: EngineSession

  /// Opens the replica that `store` holds, or makes a new one in it.
  init(store: any Store, configuration: ReplicaConfiguration) throws {
    self.store = store
    environment = configuration.environment
    session = EngineSession(configuration.environment)
    maxDriftMilliseconds = configuration.maxDriftMilliseconds
    conflictsPerCollection = max(configuration.conflictsPerCollection, 0)
    schemaVersion = configuration.schemaVersion
    header = try store.header() ?? Engine.makeHeader(in: store, configuration: configuration)
    vector = try store.vector()
    clock = HybridClock(last: header.lastTime)
    requiredSchemaVersion = try SchemaRequirement.largest(in: store)
    proxies = try Engine.proxies(in: store)
    try recoverClock()
    session.givenThrough = vector[header.replica]
    if let dataset = configuration.dataset { try choose(dataset) }
  }

  /// Holds a replica to the data set that the application chose; an empty one with a drawn one takes it.
  private mutating func choose(_ dataset: DatasetID) throws {
    if header.dataset == dataset, header.isDatasetChosen { return }
    guard header.dataset == dataset || vector.isEmpty && !header.isDatasetChosen else {
      throw ReplicaError.differentDataset(replica: header.replica, own: header.dataset, other: dataset)
    }
    try writing { engine, due in
      var commit = StoreCommit(after: engine.header)
      commit.header.dataset = dataset
      commit.header.isDatasetChosen = true
      _ = try engine.commit(
        commit, clock: due.clock, vector: engine.vector, cause: .due, due: due)
    }
  }

  /// The clock is never behind anything stored, but for what waits in future slots.
  private mutating func recoverClock() throws {
    let latestAcceptable = moment().latestAcceptable
    for entry in vector.entries {
      let bound = entry.replica == header.replica ? HybridTime.distantFuture : latestAcceptable
      clock.observe(try store.latestTime(of: entry.replica, notAfter: bound))
    }
    clock.observe(vector[header.replica])
  }

  /// Reads the wall clock, once for all that one call does.
  func moment() -> Moment {
    Moment(
      wallMilliseconds: environment.wallMilliseconds(), maxDriftMilliseconds: maxDriftMilliseconds,
      lastDue: header.lastDue)
  }

  /// Gives a new store its replica.
  private static func makeHeader(
    in store: any Store, configuration: ReplicaConfiguration
  ) throws -> StoreHeader {
    let environment = configuration.environment
    var generator = EnvironmentGenerator(environment)
    let header = StoreHeader(
      replica: .random(using: &generator),
      dataset: configuration.dataset
        ?? .make(wallMilliseconds: environment.wallMilliseconds(), using: &generator),
      isDatasetChosen: configuration.dataset != nil, lastTime: .zero, commits: 0)
    try store.beginWriting()
    do {
      if let other = try store.header() {
        // Another process was first.
        store.cancelWriting()
        return other
      }
      let commit = StoreCommit(after: header)
      try store.commit(commit)
      return commit.header
    } catch {
      store.cancelWriting()
      throw error
    }
  }

  /// Reads what another process may have committed since, and tells it.
  ///
  /// A store that is empty, another replica's or an older copy must not get this vector, which covers more.
  mutating func refresh() throws {
    guard let stored = try store.header(), header.canBecome(stored) else {
      throw ReplicaError.storeReplaced(replica: header.replica)
    }
    guard stored != header else { return }
    // All of it or nothing: a header without its vector would keep the vector from ever being read.
    var next = self
    next.header = stored
    next.clock.observe(stored.lastTime)
    next.vector = try store.vector()
    next.requiredSchemaVersion = try SchemaRequirement.largest(in: store)
    next.proxies = try Engine.proxies(in: store)
    let changes = observers.isEmpty ? nil : try next.changes(since: vector)
    self = next
    diagnosticObservers.tell(.otherProcessCommitted)
    if let changes { tell(changes) }
  }

  /// Runs `body` over one state of the store.
  mutating func reading<Result>(_ body: (inout Engine) throws -> Result) throws -> Result {
    try store.beginReading()
    defer { store.endReading() }
    try refresh()
    return try body(&self)
  }

  /// Runs `body` with the right to write, and with what has come due; it commits or gives the right back.
  mutating func writing<Result>(
    _ body: (inout Engine, borrowing DueRegisters) throws -> Result
  ) throws -> Result {
    try store.beginWriting()
    do {
      try refresh()
      return try body(&self, due())
    } catch {
      store.cancelWriting()
      throw error
    }
  }

  // MARK: What shows

  /// What shows at this moment, with records of a transaction that is not committed yet.
  func visibility(
    latestAcceptable: HybridTime, pending: [RecordKey: PackedRecord] = [:],
    references: ReferenceTable? = nil
  ) throws -> Visibility {
    Visibility(
      store: store, latestAcceptable: latestAcceptable, pending: pending,
      references: try references ?? store.references())
  }

  /// What shows now.
  func visibility() throws -> Visibility { try visibility(latestAcceptable: moment().latestAcceptable) }
}
