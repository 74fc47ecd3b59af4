import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite

/// Writes numbers into a file, says each once it is safe, and exchanges with a server in between.
///
/// Each number is a record of its own. The last one is also in a field of a record that all workers share, which is
/// this worker's alone, and in one that they all write.
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
      let (shared, field) = (RecordID.derived(from: "shared", in: "task"), FieldName(mark))
      try replica.write { transaction in
        try transaction.insert(
          ["title": .string(name)], id: .derived(from: name, in: "task"), in: "task")
        let fields: [FieldName: Value] = [field: .int(Int64(number)), "last": .string(name)]
        if try transaction.fields(of: shared, in: "task") == nil {
          try transaction.insert(fields, id: shared, in: "task")
        } else {
          try transaction.set(fields, id: shared, in: "task")
        }
      }
      Worker.say(name)
      number += 1
      try await driver.exchange()
    }
  }
}
