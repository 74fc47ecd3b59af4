import Rejoin
import RejoinOutbox

/// Two devices that meet only through a server that is a replica itself: `swift run ReplicaServer`.
@main
enum ReplicaServer {
  /// A server in the same process; over HTTP it is an `HTTPConnection`.
  struct Link: ServerConnection {
    let service: DeltaService

    func send(_ request: HTTPRequest) async throws -> HTTPResponse? { try service.answer(request) }
  }

  static func main() async throws {
    let link = Link(service: DeltaService(Replica()))
    let (phone, laptop) = (Replica(), Replica())
    let id = phone.newID()
    try phone.insert(["title": "Fix the lift"], id: id, in: "jobs")
    try phone.write { try $0.increment("photos", by: 2, id: id, in: "jobs") }

    let exchange = DeltaExchange(phone)
    let report = try await exchange.run(over: link)

    try await DeltaExchange(laptop).run(over: link)
    print("\(report.sent.registers) registers sent")
    print("the same on both: \(try phone.digest() == laptop.digest())")
  }
}
