import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite

/// Writes numbers into a file, says each once it is safe, and exchanges with a server in between.
struct Exchanging {
  private let driver: OutboxDriver
  private let mark: String

  init(_ path: String, server: String, seed: String) throws {
    guard let url = URL(string: server) else { throw CocoaError(.fileNoSuchFile) }
    let replica = try Replica(
      at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")))
    driver = OutboxDriver(Outbox(replica), over: HTTPConnection(url, timeoutSeconds: 60))
    mark = seed
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
