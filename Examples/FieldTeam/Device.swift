import Rejoin
import RejoinOutbox

/// A job that the office plans.
struct Job: Record, Equatable {
  static let collection: Collection = "jobs"
  var id: RecordID
  var title: String
  var status: String
  var worker: String?
}

/// What somebody wrote about a job.
struct Note: Record, Equatable {
  static let collection: Collection = "notes"
  var id: RecordID
  var job: RecordID
  var text: String
}

/// A worker with a device.
struct Device {
  let name: String
  let replica: Replica
  let link: FlakyLink
  let driver: OutboxDriver
  private(set) var exchanges = 0
  private(set) var sent = 0
  private(set) var fetched = 0
  private(set) var metOthers = 0

  /// The outbox of the server.
  var outbox: Outbox { driver.outbox }

  init(_ name: String, seed: UInt64, clock: Clock, server: JobServer) {
    self.name = name
    let dice = Dice(seed: seed)
    replica = Replica(
      configuration: ReplicaConfiguration(
        dataset: DatasetID(name: "field team"),
        environment: ReplicaEnvironment(
          wallMilliseconds: { clock.milliseconds }, randomBits: { dice.bits() })))
    link = FlakyLink(to: server, dice: Dice(seed: seed &+ 1))
    let configuration = OutboxConfiguration(
      logs: ["photos"], kinds: ["notes": ["job": .record]], batchLimit: 20, pageLimit: 100)
    driver = OutboxDriver(Outbox(replica, configuration: configuration), over: link)
  }

  /// Exchanges with the server, as far as the link allows.
  @discardableResult
  mutating func exchange() async throws -> CycleReport {
    let report = try await driver.exchange()
    exchanges += 1
    sent += report.push.applied.count
    fetched += report.pull.rows
    metOthers += report.push.conflicts.count
    return report
  }

  /// Does one thing that somebody in the field does, with or without a network.
  func work(_ dice: Dice) throws {
    let jobs = try replica.all(Job.self).sorted { $0.id < $1.id }
    guard !jobs.isEmpty else { return }
    // Everybody likes the first ones of the list.
    let job = jobs[dice.number(below: dice.happens(percent: 30) ? 5 : jobs.count)]
    switch dice.number(below: 10) {
    case 0..<3:
      try replica.update(Job.self, job.id) {
        $0.status = "accepted"
        $0.worker = name
      }
    case 3..<6:
      try replica.update(Job.self, job.id) {
        $0.status = ["started", "done", "blocked"][dice.number(below: 3)]
      }
    case 6..<8:
      try replica.insert(
        Note(id: replica.newID(), job: job.id, text: "\(name): part \(dice.number(below: 90)) is missing"))
    default:
      let file = "\(name)-\(dice.number(below: 10_000)).jpg"
      try replica.append(["job": .record(job.id), "file": .string(file)], to: "photos")
    }
  }
}
