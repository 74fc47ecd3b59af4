import Foundation
import Rejoin
import RejoinOutbox
import RejoinSQLite

/// Keeps a file and a plain server together: `swift run PlainServer FILE URL`.
@main
enum PlainServer {
  static func main() async throws {
    guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[2]) else {
      print("usage: PlainServer FILE URL")
      return
    }
    let file = CommandLine.arguments[1]

    let replica = try Replica(at: file)
    let outbox = Outbox(replica, configuration: OutboxConfiguration(logs: ["activity"]))
    let driver = OutboxDriver(outbox, over: HTTPConnection(url))

    try replica.write("sign in") { try $0.append(["text": "signed in"], to: "activity") }
    let report = try await driver.exchange()
    print("sent \(report.push.applied.count), fetched \(report.pull.rows)")
    print("\(try outbox.status().waiting) waiting")
    for letter in try outbox.deadLetters() { print("refused: \(letter.reason)") }
  }
}
