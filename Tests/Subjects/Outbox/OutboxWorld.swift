import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting

/// Devices that write offline, meet each other, and exchange with one plain server over a bad network.
package struct OutboxWorld {
  /// What a history came to.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// A device, and what the history knows of it without asking it.
  struct Device {
    var environment: SimulatedEnvironment
    var outbox: Outbox
    var cycle: SyncCycle?
    var offset: Int64
    /// The records that somebody wrote at this device, and the fields of those that were there already.
    var written: Set<String> = []
    /// The records that were made at this device.
    var made: Set<String> = []
    /// The numbers of the log entries that were written at this device.
    var appended: Set<JSON> = []
    /// The keys under which entries are on their way, by subject.
    var keys: [String: String] = [:]
    /// The keys that must not be used any more.
    var retired: Set<String> = []
    /// The versions that the device was told, by subject.
    var told: [String: Int64] = [:]
    /// What was refused at this device and nobody has decided, by key.
    var letters: [String: Refusal] = [:]
    /// The records that were written since the device last looked for what it has to send: where an entry of theirs is
    /// refused, that is somebody's answer to it.
    var uncut: Set<String> = []
    /// Whether the device has read any page since it began anew.
    var hasPulled = false
    /// Whether the running exchange is past its pushes.
    var isPulling = false
    /// The last request in the device's own dialect.
    var asked = HTTPRequest("", "")
    /// A request whose answer is still on its way, in the default dialect.
    var inFlight: (request: HTTPRequest, response: HTTPResponse?)?
    /// What a cache on the way may answer with, and to which path.
    var cached: (path: String, response: HTTPResponse)?
  }

  /// An entry that was refused.
  struct Refusal {
    var subject: String
    var reason: String
  }

  let tongue: Tongue
  let interpreter: any Interpreter
  var devices: [Device] = []
  var server: ModelServer
  var generator: SplitMix64
  var wall: Int64 = 1_700_000_000_000
  var appended = 0
  /// The log entries that somebody has given up, by their numbers.
  var forgotten: Set<JSON> = []
  /// Whether everything is about one record that comes and goes.
  let isNarrow: Bool
  /// What became of the values that were written; only where each is written once.
  var fates: ValueFates?
  /// A copy of the server that may come back, where the server may lose what it had.
  var backup: ModelServer.Contents?
  var mayRewind = false
  /// Whether the server has lost what it had acknowledged.
  var isRewound = false
  /// How far the server's clock is off.
  var serverOffset: Int64 = 0
  var attemptLimit = 1_000
  /// Whether what is refused of the field `b` is taken back at once.
  var takesBack = false
  /// Whether no device's and no server's clock was ever wrong.
  var areClocksRight = true
  /// The fields of which the later value wins.
  var laterWins: Set<FieldName> = []
  var trace: [String] = []
  static let collection: Collection = "notes"
  static let children: Collection = "parts"
  static let log: LogName = "visits"

  private init(seed: UInt64, _ tongue: Tongue) throws {
    self.tongue = tongue
    interpreter = tongue.interpreter
    generator = SplitMix64(seed: seed)
    server = ModelServer(wallMilliseconds: wall, traits: ServerTraits(using: &generator))
    // A server that cannot tell what a change was made on takes it, and shows devices what they did not see.
    // Document 000's server gives ids to everything, and shows no log.
    if tongue == .accounts { (server.traits.givesIDs, server.traits.checksParents) = (true, false) }
    if !interpreter.saysVersions { (server.traits.isStrict, server.traits.echoesOwnWrites) = (false, true) }
    isNarrow = generator.next() & 1 == 0
    fates = generator.next() & 1 == 0 ? ValueFates() : nil
    mayRewind = below(8) == 0
    attemptLimit = below(4) == 0 ? 3 : 1_000
    takesBack = attemptLimit > 100 && below(4) == 0
    let pulling = [.lww, .lww, .serverWins, .clientWins] as [FieldPolicy.Pulling]
    let policies = [
      FieldPolicy("a", server: pulling[below(4)]),
      FieldPolicy("b", server: pulling[below(4)], onRejection: takesBack ? .rollback : .keep),
    ]
    // Where somebody has to decide, what was not sent stays whatever the policies say.
    let isLeftOpen = interpreter.dialect.rules.onConflict == .stop
    laterWins = isLeftOpen ? [] : Set(policies.filter { $0.server == .lww }.map(\.field))
    areClocksRight = below(2) == 0
    let batchLimit = [4, 4, 1, 9][below(4)]
    let count = 2 + below(3)
    for number in 0..<count {
      let environment = SimulatedEnvironment(wallMilliseconds: wall, seed: seed &* 31 &+ UInt64(number))
      let replica = Replica(configuration: environment.configuration())
      try replica.declare([Reference("note", to: Self.collection)], in: Self.children)
      for collection in [Self.collection, Self.children] { replica.declare(policies, in: collection) }
      let outbox = Outbox(
        replica,
        configuration: OutboxConfiguration(
          logs: tongue == .accounts ? [] : [Self.log], kinds: [Self.children: ["note": .record]],
          batchLimit: batchLimit,
          attemptLimit: attemptLimit), dialect: interpreter.dialect)
      devices.append(
        Device(
          environment: environment, outbox: outbox,
          offset: areClocksRight ? 0 : [0, 120_000, -120_000][below(3)]))
    }
    trace.append(
      "\(server.traits) \(batchLimit) in a batch, \(attemptLimit) attempts, \(policies.map(\.server)),"
        + " takes back: \(takesBack)")
  }

  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  mutating func pass(_ milliseconds: Int64) {
    wall += milliseconds
    server.wallMilliseconds = wall + serverOffset
    for device in devices { device.environment.wallMilliseconds = wall + device.offset }
  }

  /// Runs one history of so many steps, and lets everybody settle.
  ///
  /// - Returns: what the devices did, a line each.
  @discardableResult
  package static func run(seed: UInt64, steps: Int, in tongue: Tongue = .mutations) throws -> [String] {
    var world = try OutboxWorld(seed: seed, tongue)
    do {
      for _ in 0..<steps { try world.step() }
      try world.settle()
      try world.check()
    } catch {
      throw Failure(
        description: "OutboxWorld.run(seed: \(seed), steps: \(steps), in: .\(tongue)): \(error)\n"
          + world.trace.joined(separator: "\n"))
    }
    return world.trace
  }

  private mutating func step() throws {
    pass(Int64(below(3_000)))
    let number = below(devices.count)
    switch below(100) {
    case ..<30: try write(at: number)
    case ..<71: try exchange(at: number)
    case ..<75: try decide(at: number)
    case ..<85: try meet(number, below(devices.count))
    case ..<95: editServer()
    case ..<97: devices[number].cycle = nil
    default: befallServer()
    }
  }

  private mutating func meet(_ left: Int, _ right: Int) throws {
    guard left != right, tongue != .accounts else { return }
    trace.append("\(left) meets \(right)")
    try devices[left].outbox.replica.sync(with: devices[right].outbox.replica)
  }

  // MARK: The server

  private mutating func editServer() {
    server.publish()
    let rows = (server.rows[Self.collection.text] ?? [:]).sorted { $0.key < $1.key }
    let value = JSON.int(fates?.next(0) ?? Int64(below(3)))
    guard !rows.isEmpty, below(8) != 0 else {
      let id = "s\(below(isNarrow ? 1 : 3))"
      guard tongue != .accounts || !server.isGone(id, in: Self.collection.text) else { return }
      trace.append("server inserts \(id)")
      return server.edit(Self.collection.text, id, ["a": value])
    }
    let row = rows[below(rows.count)]
    let isDeletion = below(8) == 0 || row.value.isDeleted && below(4) != 0
    guard !(isDeletion && row.value.isDeleted) else { return }
    // A resource that is gone never comes back under its name.
    guard tongue != .accounts || !row.value.isDeleted else { return }
    trace.append("server \(isDeletion ? "deletes" : "sets \(value) of") \(row.key)")
    if isDeletion {
      fates?.returns("\(Self.collection)/\(server.deviceID(Self.collection.text, row.key))")
    }
    server.edit(Self.collection.text, row.key, isDeletion ? nil : ["a": value])
  }

  /// What happens to servers now and then.
  private mutating func befallServer() {
    switch below(8) {
    case 0:
      trace.append("the server begins anew")
      server.changeEpoch()
    // Where a change does not say if it makes a record, an edit of one that the server has forgotten would make half of it.
    case 1 where interpreter.saysOperations:
      trace.append("the server forgets what is deleted")
      server.purge()
    case 2: server.circles = 5
    // Cursors of time rest on a clock that never goes back.
    case 3 where tongue != .upserts:
      areClocksRight = false
      serverOffset = [0, 40_000, -40_000, 5_000_000, -5_000_000][below(5)]
      trace.append("the server's clock is off by \(serverOffset)")
      pass(0)
    // A device that has only pushed so far could not tell.
    case 4 where mayRewind && backup != nil && !isRewound && devices.allSatisfy(\.hasPulled):
      trace.append("the server loses its latest writes")
      backup.map { server.rewind(to: $0) }
      isRewound = true
    case 5:
      server.quarrels = 9
      pass(60_000)
    case 6: if backup == nil { backup = server.contents }
    default: server.publish()
    }
  }
}
