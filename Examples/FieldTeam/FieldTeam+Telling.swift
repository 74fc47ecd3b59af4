import Rejoin
import RejoinOutbox
import RejoinTesting

/// What is said at the end of the day.
extension FieldTeam {
  func tell() async throws {
    print("Three devices and 200 jobs on a plain server; the link loses 15 % of requests and of answers.\n")
    try await tellAboutDevices()
    print("\nThe server refused:")
    for line in refused { print("  \(line)") }
    print("The author shortened it, and it was accepted under a new key.\n")
    let counts = await server.counts
    let isOnce = counts.applied.values.allSatisfy { $0 == 1 }
    print("The server got \(counts.requests) requests with \(counts.entries) entries:")
    print("  \(counts.applied.count) were applied, \(isOnce ? "each exactly once" : "SOME MORE THAN ONCE");")
    print("  \(counts.conflicts) met what others had changed, \(counts.refused) was refused,")
    print("  \(counts.repeated) came again because an answer was lost.\n")
    try tellAboutConflicts()
    for line in try await agreements() { print(line) }
  }

  private func tellAboutDevices() async throws {
    print("device  exchanges  requests lost  answers lost  sent  fetched  met others")
    for device in devices {
      let (lostRequests, lostAnswers) = (await device.link.lostRequests, await device.link.lostAnswers)
      let numbers = [
        (device.exchanges, 9), (lostRequests, 13), (lostAnswers, 12), (device.sent, 4), (device.fetched, 7),
        (device.metOthers, 10),
      ]
      let cells = numbers.map { number, width in
        String(repeating: " ", count: width - "\(number)".count) + "\(number)"
      }
      let name = device.name + String(repeating: " ", count: 6 - device.name.count)
      print(([name] + cells).joined(separator: "  "))
    }
  }

  /// Every device has a ledger of what gave way as far as it saw it.
  private func tellAboutConflicts() throws {
    for device in devices {
      let ledger = try device.replica.conflicts()
      print("What gave way on \(device.name): \(ledger.count)", terminator: "")
      guard let entry = ledger.first, let field = entry.field,
        case .string(let loser)? = entry.losingValue,
        case .string(let shown)? = try device.replica.fields(
          of: entry.record.id, in: entry.record.collection)?[field]
      else {
        print("")
        continue
      }
      print(", such as the \(field.text) \"\(loser)\", where \"\(shown)\" shows")
    }
    print("")
  }

  /// Whether each device holds what the server holds.
  private func agreements() async throws -> [String] {
    let (jobs, notes) = (await server.rows(of: "jobs"), await server.rows(of: "notes"))
    let photos = await server.rows(of: "photos")
    return try devices.map { device in
      let agrees =
        try holds(device, Job.collection, jobs) && holds(device, Note.collection, notes)
        && device.replica.log("photos").count == photos.count
      return "\(device.name) \(agrees ? "agrees" : "DISAGREES") with the server: \(jobs.count) jobs, "
        + "\(notes.count) notes, \(photos.count) photos"
    }
  }

  /// Whether a device holds what the server holds of a collection, value by value.
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

  /// The day as a page of HTML.
  func page() async throws -> String {
    let counts = await server.counts
    return diary.page(
      try devices.map { try $0.shown } + ["\(counts.applied.count) operations"],
      facts: [
        HistoryReport.Fact("requests", "\(counts.requests)"),
        HistoryReport.Fact("entries that came again", "\(counts.repeated)"),
        HistoryReport.Fact("refused", refused.joined(separator: "; ")),
      ])
  }
}
