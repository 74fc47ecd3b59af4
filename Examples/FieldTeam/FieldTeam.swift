import Rejoin
import RejoinOutbox

/// A day of three workers, one plain server and a link that loses what is said: `swift run FieldTeam [SEED]`.
///
/// They work whether the network is there or not, two of them also exchange directly when they meet, and the server
/// refuses one note. One seed, one day.
@main
struct FieldTeam {
  private let clock = Clock()
  private let dice: Dice
  let server: JobServer
  private(set) var devices: [Device]
  private(set) var refused: [String] = []

  static func main() async throws {
    let seed = CommandLine.arguments.dropFirst().first ?? "1"
    guard let seed = UInt64(seed) else { return print("usage: FieldTeam [SEED]") }
    var team = FieldTeam(seed: seed)
    try await team.work()
    try await team.goHome()
    try await team.tell()
  }

  init(seed: UInt64) {
    dice = Dice(seed: seed)
    server = JobServer(clock: clock)
    devices = []
    for (number, name) in ["ada", "grace", "joan"].enumerated() {
      let seed = seed &+ 1_000 &* UInt64(number + 1)
      devices.append(Device(name, seed: seed, clock: clock, server: server))
    }
  }

  /// From eight to five, half an hour at a time.
  private mutating func work() async throws {
    for number in 0..<200 {
      let id = RecordID(high: dice.bits(), low: dice.bits())
      await server.write("jobs", id.description, ["title": .string("job \(number)"), "status": "planned"])
    }
    for round in 0..<18 {
      for index in devices.indices {
        for _ in 0..<4 { try devices[index].work(dice) }
        if dice.happens(percent: 70) { try await devices[index].exchange() }
      }
      if round == 6 { try writeTooMuch(on: devices[2].replica) }
      if round % 4 == 3 { try devices[0].replica.sync(with: devices[1].replica) }
      clock.pass(minutes: 30)
    }
  }

  private func writeTooMuch(on replica: Replica) throws {
    guard let job = try replica.all(Job.self).min(by: { $0.id < $1.id }) else { return }
    let text = "The customer wants us to come again, with a longer ladder, and in the morning"
    try replica.insert(Note(id: replica.newID(), job: job.id, text: text))
  }

  /// In the evening the network is good, and everybody exchanges until there is nothing to say.
  private mutating func goHome() async throws {
    for device in devices { await device.link.mend() }
    for _ in 0..<20 {
      var isQuiet = true
      for index in devices.indices {
        let report = try await devices[index].exchange()
        try mend(devices[index])
        let isSynced = try devices[index].outbox.status().isSynced
        isQuiet = isQuiet && isSynced && report.pull.rows == 0
      }
      if isQuiet { return }
      clock.pass(minutes: 5)
    }
  }

  /// Shows what the server refused, and shortens it; the next exchange sends it under a new key.
  private mutating func mend(_ device: Device) throws {
    for letter in try device.outbox.deadLetters() {
      guard case .record(let key) = letter.entry.subject else { continue }
      let fields = letter.entry.payload.map(\.name).joined(separator: ", ")
      refused.append("\(device.name)'s \(letter.entry.operation) of a note (\(fields)): \(letter.reason)")
      try device.replica.update(Note.self, key.id) { $0.text = "Come again with a longer ladder" }
    }
  }
}
