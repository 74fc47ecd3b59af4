import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes numbers into a file, says each once it is safe, and exchanges with a server in between.
struct Exchanging {
  private let driver: OutboxDriver
  private let mark: String

  init(_ path: String, server: String, seed: String) throws {
    guard let url = URL(string: server) else { throw CocoaError(.fileNoSuchFile) }
    let replica = try Replica(
      at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")))
    // On Linux, the system's client waits half a minute on a connection that it used before and the server has closed.
    let settings = URLSessionConfiguration.ephemeral
    settings.httpAdditionalHeaders = ["Connection": "close"]
    driver = OutboxDriver(
      Outbox(replica, configuration: OutboxConfiguration(pageLimit: 100)),
      over: HTTPConnection(url, session: URLSession(configuration: settings), timeoutSeconds: 10))
    mark = seed
  }

  func load() async throws {
    let report = try await driver.exchange()
    Worker.say("\(report.pull.rows)")
  }

  func run() async throws {
    let replica = driver.outbox.replica
    var number = 0
    while true {
      let name = "\(mark)/\(number)"
      let first = RecordID.derived(from: "\(mark)/0", in: "task")
      try replica.write { transaction in
        try transaction.insert(
          ["title": .string(name), "edits": 0], id: .derived(from: name, in: "task"), in: "task")
        try transaction.set(["edits": .int(Int64(number))], id: first, in: "task")
      }
      Worker.say(name)
      number += 1
      try await driver.exchange()
    }
  }
}
