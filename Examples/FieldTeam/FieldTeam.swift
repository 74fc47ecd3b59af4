import Foundation
import Rejoin
import RejoinOutbox

/// A day of three workers, one plain server and a link that loses what is said:
/// `swift run FieldTeam [SEED] [--report out.html]`.
///
/// They work whether the network is there or not, two of them also exchange directly when they meet, and the server
/// refuses one note. One seed, one day.
@main
struct FieldTeam {
  let server: JobServer
  private(set) var devices: [Device]
  private(set) var refused: [String] = []
  private(set) var diary: Diary
  private let clock = Clock()
  private let dice: Dice

  static func main() async throws {
    var words = Array(CommandLine.arguments.dropFirst())
    var report: String?
    if let index = words.firstIndex(of: "--report"), index + 1 < words.count {
      report = words[index + 1]
      words.removeSubrange(index...index + 1)
    }
    guard words.count <= 1, let seed = UInt64(words.first ?? "1") else {
      return print("usage: FieldTeam [SEED] [--report out.html]")
    }
    var team = FieldTeam(seed: seed)
    try await team.work()
    try await team.goHome()
    try await team.tell()
    if let report { try await team.page().write(toFile: report, atomically: true, encoding: .utf8) }
  }

  init(seed: UInt64) {
    let names = ["ada", "grace", "joan"]
    dice = Dice(seed: seed)
    server = JobServer(clock: clock)
    diary = Diary(names + ["server"])
    devices = []
    for (number, name) in names.enumerated() {
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
        for _ in 0..<4 {
          let done = try devices[index].work(dice)
          diary.did(done, on: index, showing: try devices[index].shown)
        }
        if dice.happens(percent: 70) { try await exchange(index) }
      }
      if round == 6 { try writeTooMuch(on: 2) }
      if round % 4 == 3 {
        try devices[0].replica.sync(with: devices[1].replica)
        diary.met(0, 1, showing: try devices[1].shown)
      }
      clock.pass(minutes: 30)
    }
  }

  @discardableResult
  private mutating func exchange(_ index: Int) async throws -> CycleReport {
    let report = try await devices[index].exchange()
    let isCut = report.push.stopped != nil || report.pull.stopped != nil
    diary.exchanged(index, isCut: isCut, showing: try devices[index].shown)
    return report
  }

  private mutating func writeTooMuch(on index: Int) throws {
    let replica = devices[index].replica
    guard let job = try replica.all(Job.self).min(by: { $0.title < $1.title }) else { return }
    let text = "The customer wants us to come again, with a longer ladder, and in the morning"
    try replica.insert(Note(id: replica.newID(), job: job.id, text: text))
    diary.did("writes a long note about \(job.title)", on: index, showing: try devices[index].shown)
  }

  /// In the evening the network is good, and everybody exchanges until there is nothing to say.
  private mutating func goHome() async throws {
    for device in devices { await device.link.mend() }
    for _ in 0..<20 {
      var isQuiet = true
      for index in devices.indices {
        let report = try await exchange(index)
        try shorten(on: index)
        let isSynced = try devices[index].outbox.status().isSynced
        isQuiet = isQuiet && isSynced && report.pull.rows == 0
      }
      if isQuiet { return }
      clock.pass(minutes: 5)
    }
  }

  /// Notes down what the server refused, and shortens it; the next exchange sends it under a new key.
  private mutating func shorten(on index: Int) throws {
    let device = devices[index]
    for letter in try device.outbox.deadLetters() {
      let fields = letter.entry.payload.map(\.name).joined(separator: ", ")
      refused.append("\(device.name)'s \(letter.entry.operation) of a note (\(fields)): \(letter.reason)")
      try device.outbox.edit(letter.id, ["text": "Come again with a longer ladder"])
      diary.did("shortens the note that was refused", on: index, showing: try device.shown)
    }
  }
}
