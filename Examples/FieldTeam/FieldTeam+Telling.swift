import Rejoin
import RejoinOutbox

/// What is said at the end of the day.
extension FieldTeam {
  func tell() async throws {
    print(
      "Three devices, 200 jobs on a plain server, and a link that loses 15 % of requests and of answers.\n")
    try await tellAboutDevices()
    print("\nThe server refused:")
    for line in refused { print("  \(line)") }
    print("It was shortened, and accepted.\n")
    try await tellAboutServer()
    print("")
    try await tellWhetherAllAgree()
  }

  private func tellAboutDevices() async throws {
    print("device  exchanges  requests lost  answers lost  sent  fetched  met others  gave way")
    for device in devices {
      let (lostRequests, lostAnswers) = (await device.link.lostRequests, await device.link.lostAnswers)
      let ledger = try device.replica.conflicts(includingSettled: true).count
      let numbers = [
        (device.exchanges, 9), (lostRequests, 13), (lostAnswers, 12), (device.sent, 4), (device.fetched, 7),
        (device.metOthers, 10), (ledger, 8),
      ]
      let cells = numbers.map { number, width in
        String(repeating: " ", count: width - "\(number)".count) + "\(number)"
      }
      let name = device.name + String(repeating: " ", count: 6 - device.name.count)
      print(([name] + cells).joined(separator: "  "))
    }
  }

  private func tellAboutServer() async throws {
    let (applied, received) = (await server.applied, await server.received)
    let isOnce = applied.values.allSatisfy { $0 == 1 }
    print(
      "The server got \(await server.requests) requests with \(received) entries, many of them again and again."
    )
    print("It applied \(applied.count) keys, \(isOnce ? "each exactly once" : "SOME MORE THAN ONCE").")
  }

  private func tellWhetherAllAgree() async throws {
    let (jobs, notes) = (await server.rows(of: "jobs"), await server.rows(of: "notes"))
    let photos = await server.rows(of: "photos")
    for device in devices {
      let agrees =
        try holds(device, Job.collection, jobs) && holds(device, Note.collection, notes)
        && device.replica.log("photos").count == photos.count
      print(
        "\(device.name) \(agrees ? "agrees" : "DISAGREES") with the server: \(jobs.count) jobs, "
          + "\(notes.count) notes, \(photos.count) photos")
    }
  }

  /// Whether a device holds what the server holds, value by value.
  private func holds(
    _ device: Device, _ collection: Collection, _ rows: [String: [String: JSON]]
  ) throws -> Bool {
    let records = try device.replica.records(in: collection)
    return records.count == rows.count
      && records.allSatisfy { record in
        guard let row = rows[record.id.description] else { return false }
        return row.allSatisfy { name, json in plain(record.fields[FieldName(name)]) == json }
      }
  }

  /// A value as the server knows it.
  private func plain(_ value: Value?) -> JSON? {
    switch value {
    case .record(let id): .string(id.description)
    case let value: value?.json
    }
  }
}
