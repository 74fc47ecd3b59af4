import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Devices that speak to one plain server in different words, devices behind a server that is a replica, one that speaks
/// to both, and meetings besides: one data set.
struct MixedFleetTests {
  private static let suite = "MixedFleetTests"

  private struct World {
    /// A device and how it reaches the plain server; nil where it does not.
    struct Device {
      var replica: Replica
      var environment: SimulatedEnvironment
      var plain: (outbox: Outbox, tongue: Tongue)?
      var meetsReplica: Bool
    }

    var generator: SplitMix64
    let plain = SharedServer()
    let full: DeltaService
    var devices: [Device] = []
    var ids: [RecordID] = []
    let pageBytes: Int

    init(seed: UInt64) throws {
      generator = SplitMix64(seed: seed)
      pageBytes = [1, 200, 100_000][Int(generator.next() % 3)]
      let dataset = DatasetID(name: "mixed")
      var made = 0
      func replica() -> (Replica, SimulatedEnvironment) {
        made += 1
        let environment = SimulatedEnvironment(
          wallMilliseconds: 1_700_000_000_000, seed: seed &* 37 &+ UInt64(made))
        return (
          Replica(
            configuration: ReplicaConfiguration(dataset: dataset, environment: environment.environment)),
          environment
        )
      }
      full = DeltaService(replica().0)
      for tongue in [Tongue.mutations, .intents, .tables, .upserts] {
        let (replica, environment) = replica()
        // The first device speaks to both servers: it carries on what comes from behind the other one.
        let isGateway = devices.isEmpty
        var configuration = OutboxConfiguration(logs: ["visits"])
        configuration.relays = isGateway
        let outbox = Outbox(replica, configuration: configuration, dialect: plain.dialect(tongue))
        devices.append(
          Device(
            replica: replica, environment: environment, plain: (outbox, tongue), meetsReplica: isGateway))
      }
      for _ in 0..<2 {
        let (replica, environment) = replica()
        devices.append(Device(replica: replica, environment: environment, plain: nil, meetsReplica: true))
      }
    }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func step() throws {
      for device in devices { device.environment.pass(milliseconds: 40) }
      plain.model.wallMilliseconds += 40
      let number = below(devices.count)
      switch below(10) {
      case 0..<5: try write(at: devices[number].replica)
      case 5..<9: try exchange(number, isWhole: false)
      default:
        // Those behind the replica meet each other and the gateway.
        let other = below(devices.count)
        guard number != other, devices[number].meetsReplica, devices[other].meetsReplica else { return }
        try devices[number].replica.sync(with: devices[other].replica)
      }
    }

    private mutating func write(at replica: Replica) throws {
      let shown = try replica.records(in: "notes").map(\.id)
      let value = Value.int(Int64(below(1_000)))
      guard let id = shown.isEmpty ? nil : shown[below(shown.count)], below(4) != 0 else {
        let id = replica.newID()
        ids.append(id)
        return try replica.insert(["title": value, "text": .string("\(id)")], id: id, in: "notes")
      }
      switch below(6) {
      case 0: try replica.delete(id, in: "notes")
      case 1: try replica.append(["number": value], to: "visits")
      default: try replica.set([["title", "text"][below(2)]: value], id: id, in: "notes")
      }
    }

    mutating func exchange(_ number: Int, isWhole: Bool) throws {
      let device = devices[number]
      if let (outbox, tongue) = device.plain {
        let (isLossy, cut) = (!isWhole && below(3) == 0, !isWhole && below(4) == 0 ? below(4) : nil)
        var faults = generator
        try plain.run(outbox, in: tongue, cutAt: cut) {
          isLossy ? [.none, .lostAnswer, .lostRequest][Int(faults.next() % 3)] : .none
        }
        generator = faults
      }
      if isWhole, let (outbox, _) = device.plain {
        // Document 001 leaves it to a person what becomes of a change that met another one.
        for change in try outbox.waiting() where change.state == .conflict {
          if case .record(let key) = change.subject { try outbox.retry(key.id, in: key.collection) }
        }
      }
      guard device.meetsReplica else { return }
      var cycle = DeltaExchange(device.replica, server: "replica", pageBytes: pageBytes).cycle()
      let cut = isWhole || below(2) == 0 ? Int.max : below(5)
      var requests = 0
      while let request = try cycle.next(), requests < cut {
        requests += 1
        try cycle.receive(full.answer(request))
      }
    }

    /// What a device shows, by record.
    private func shown(_ replica: Replica) throws -> [RecordID: [FieldName: Value]] {
      Dictionary(
        uniqueKeysWithValues: try replica.records(in: "notes").map { record in
          (record.id, record.fields.filter { $0.value != .null })
        })
    }

    /// Everybody exchanges until nothing changes any more.
    mutating func settle() throws {
      var last: [[RecordID: [FieldName: Value]]] = []
      for _ in 0..<12 {
        for number in devices.indices {
          for device in devices { device.environment.pass(milliseconds: 120_000) }
          plain.model.wallMilliseconds += 120_000
          try exchange(number, isWhole: true)
        }
        let now = try devices.map { try shown($0.replica) }
        let isSynced = try devices.allSatisfy { try $0.plain?.outbox.status().isSynced ?? true }
        if isSynced, now == last { return }
        last = now
      }
      throw Wrong(what: "it never comes to rest")
    }

    func check() throws {
      let first = try shown(devices[0].replica)
      for (number, device) in devices.enumerated() {
        guard try shown(device.replica) == first else {
          throw Wrong(what: "device \(number) shows something else")
        }
        if let (outbox, _) = device.plain, try !outbox.status().isSynced {
          throw Wrong(what: "device \(number): \(try outbox.waiting()) \(try outbox.queue())")
        }
        let log = try device.replica.log("visits").map(\.id)
        guard try Set(log) == Set(devices[0].replica.log("visits").map(\.id)), Set(log).count == log.count
        else {
          throw Wrong(what: "the log of device \(number)")
        }
      }
      var rows: [RecordID: [FieldName: Value]] = [:]
      for (id, row) in plain.model.rows["notes"] ?? [:] where !row.isDeleted {
        guard let id = RecordID(id) else { throw Wrong(what: "an id") }
        rows[id] = try Dictionary(
          uniqueKeysWithValues: row.fields.filter { $0.value != .null }.map {
            (FieldName($0.key), try Value(json: $0.value))
          })
      }
      guard rows == first else { throw Wrong(what: "the plain server holds something else") }
      let behind = devices.filter(\.meetsReplica).map(\.replica)
      guard try Set(behind.map { try $0.digest() }).count == 1 else { throw Wrong(what: "the digests") }
    }
  }

  private struct Wrong: Error { var what: String }

  @Test func `all of them show what the plain server holds in the end`() throws {
    for chunk in Seeds.chunks(count: 60) {
      for seed in chunk.seeds {
        do {
          var world = try World(seed: seed)
          for _ in 0..<40 { try world.step() }
          try world.settle()
          try world.check()
        } catch {
          Issue.record("\(error)\n\(Seeds.replay(seed, suite: Self.suite))")
          return
        }
      }
    }
  }
}
