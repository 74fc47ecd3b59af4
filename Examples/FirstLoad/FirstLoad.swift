import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport

/// Loads a big data set of a plain server into a new file, over HTTP, and says what that costs:
/// `swift run -c release FirstLoad [--rows N] [--page N] [--server-ids] [--alone] [--check] [--smoke]`.
///
/// The server is that of the tests, in a process of its own; on a machine with few processors it competes with the load.
///
/// On two busy cores, for 1000 rows of 8 fields: decoding 2.5 ms, the transactions 24 ms at work (51 ms with
/// `--server-ids`), SQLite alone 2.3 ms; on the wall, where both wait for the disk, three times SQLite alone. The steps of
/// SQLite's machine for a page are the same beside 1000 and 20000 rows. Peak memory was 116 MB at 100000 rows and at
/// 200000, 64 MiB of it SQLite's cache.
@main
enum FirstLoad {
  static func main() async throws {
    guard let options = LoadOptions(Array(CommandLine.arguments.dropFirst())) else {
      print(LoadOptions.usage)
      exit(2)
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "first-load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let isGood = try await TestServer.with { server in
      try await fill(server, options)
      let report = try await load(from: server, into: folder, options)
      print(report.table)
      return options.isChecked ? report.misses.isEmpty : report.isComplete
    }
    if !isGood { exit(1) }
  }

  /// Gives the server its rows.
  private static func fill(_ server: TestServer, _ options: LoadOptions) async throws {
    let sample = SampleRows(hasServerIDs: options.hasServerIDs)
    var first = 0
    while first < options.rows {
      let numbers = first..<min(first + 1_000, options.rows)
      try await server.edit(["writes": .array(numbers.map { sample.write($0) })])
      first = numbers.upperBound
      show("the server has \(first) of \(options.rows) rows")
    }
  }

  private static func load(
    from server: TestServer, into folder: URL, _ options: LoadOptions
  ) async throws -> LoadReport {
    let path = folder.appending(path: "replica.sqlite").path(percentEncoded: false)
    let replica = try Replica(at: path)
    try replica.declare(SampleRows.fields, in: SampleRows.collection)
    let dialect = TimedDialect()
    let outbox = Outbox(
      replica,
      configuration: OutboxConfiguration(kinds: SampleRows.kinds, pageLimit: options.pageLimit),
      dialect: dialect)
    let table =
      try options.comparesWithSQLite
      ? PlainTable(path: folder.appending(path: "plain.sqlite").path(percentEncoded: false)) : nil
    let connection = HTTPConnection(try server.url)

    var report = LoadReport(rows: options.rows)
    var cycle = outbox.cycle()
    while true {
      var cost = LoadCost()
      var request: HTTPRequest?
      cost.store = try Spent.measure { request = try cycle.next() }
      guard let request else { break }
      let start = Spent.now
      let response = try await connection.send(request)
      cost.network = Spent.now - start
      let taken = try Spent.measure { try cycle.receive(response) }
      cost.decoding = dialect.takeSpent()
      cost.store = cost.store + taken - cost.decoding
      if let table, let response {
        let rows = PlainTable.bindings(of: try MutationsDialect().page(in: response, from: nil))
        cost.raw = try Spent.measure { try table.write(rows) }
      }
      report.add(cost, rows: cycle.report.pull.rows)
      show("\(cycle.report.pull.rows) of \(options.rows) rows, \(report.rowsPerSecond) a second")
    }
    show("")
    report.finish(try replica.records(in: SampleRows.collection).count, file: path)
    return report
  }

  /// Shows how far it is, on a terminal.
  private static func show(_ progress: String) {
    guard isatty(STDERR_FILENO) != 0 else { return }
    let padding = String(repeating: " ", count: max(60 - progress.count, 0))
    FileHandle.standardError.write(Data("\r\(progress)\(padding)\r".utf8))
  }
}
