import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting

/// Devices of one data set that meet each other and one server, under one time.
final class Fleet {
  static let collection: Collection = "jobs"
  let server: ScriptedServer
  private(set) var environments: [SimulatedEnvironment] = []
  private var isAnswerLost = false

  init(isStrict: Bool = true) {
    server = ScriptedServer(isStrict: isStrict)
  }

  /// A further device, whose clock is off by so many milliseconds.
  func device(
    offset: Int64 = 0, policy: FieldPolicy.Pulling = .lww, onRejection: FieldPolicy.Rejection = .keep,
    _ configuration: OutboxConfiguration = OutboxConfiguration(logs: ["visits"])
  ) -> Outbox {
    let environment = SimulatedEnvironment(
      wallMilliseconds: server.model.wallMilliseconds + offset, seed: UInt64(environments.count + 1))
    environments.append(environment)
    let replica = Replica(
      configuration: ReplicaConfiguration(
        dataset: DatasetID(name: "fleet"), environment: environment.environment))
    replica.declare(
      ["a", "b"].map { FieldPolicy($0, server: policy, onRejection: onRejection) }, in: Self.collection)
    return Outbox(replica, configuration: configuration)
  }

  /// Time goes by, everywhere.
  func pass(_ milliseconds: Int64) {
    server.model.wallMilliseconds += milliseconds
    for environment in environments { environment.pass(milliseconds: milliseconds) }
  }

  /// A full exchange over a good network, a little later.
  @discardableResult
  func exchange(_ outbox: Outbox) throws -> CycleReport {
    pass(10)
    return try server.run(outbox)
  }

  /// The server carries out what the device sends, and the device never hears of it.
  func exchangeInVain(_ outbox: Outbox) throws {
    pass(10)
    var cycle = outbox.cycle()
    while let request = try cycle.next() {
      _ = server.answer(request)
      try cycle.receive(nil)
    }
  }

  /// The device fetches what is new, and sends nothing.
  func pull(_ outbox: Outbox) throws {
    pass(10)
    var cycle = outbox.cycle(.pull)
    while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
  }

  /// What a device shows of a record.
  func shown(_ id: RecordID, at outbox: Outbox) throws -> [FieldName: Value]? {
    try outbox.replica.fields(of: id, in: Self.collection)
  }

  /// What the server holds of a record.
  func served(_ id: RecordID) -> [String: JSON]? {
    server.model.rows[Self.collection.text]?[id.description].flatMap { $0.isDeleted ? nil : $0.fields }
  }

  /// Somebody writes fields of a record at a device, a little later.
  func set(_ fields: [FieldName: Value], of id: RecordID, at outbox: Outbox) throws {
    pass(10)
    try outbox.replica.set(fields, id: id, in: Self.collection)
  }

  /// Somebody makes a record at a device.
  func insert(_ fields: [FieldName: Value], at outbox: Outbox) throws -> RecordID {
    pass(10)
    let id = outbox.replica.newID()
    try outbox.replica.insert(fields, id: id, in: Self.collection)
    return id
  }
}

extension Outbox {
  /// A device with so many unsent records, whose field `a` is their number.
  static func holding(
    _ count: Int, _ configuration: OutboxConfiguration = OutboxConfiguration(),
    in environment: SimulatedEnvironment
  ) throws -> Outbox {
    let outbox = Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration)
    for number in 0..<count {
      try outbox.replica.insert(["a": .int(Int64(number))], id: outbox.replica.newID(), in: "jobs")
    }
    return outbox
  }
}
