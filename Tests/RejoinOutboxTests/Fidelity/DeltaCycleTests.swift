import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// What a device does about each answer of a server that is a replica.
struct DeltaCycleTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 3)
  private static let dataset = DatasetID(name: "cycle")

  private func replica(_ count: Int = 0, dataset: DatasetID = dataset) throws -> Replica {
    let replica = Replica(
      configuration: ReplicaConfiguration(dataset: dataset, environment: environment.environment))
    for number in 0..<count {
      try replica.insert(["title": .int(Int64(number))], id: replica.newID(), in: "jobs")
    }
    return replica
  }

  /// Runs an exchange with `service`, and keeps what was asked.
  @discardableResult
  private func run(
    _ exchange: DeltaExchange, _ service: DeltaService, asking requests: inout [HTTPRequest],
    instead: (Int, HTTPRequest) throws -> HTTPResponse?? = { _, _ in nil }
  ) throws -> DeltaExchangeReport {
    var cycle = exchange.cycle()
    while let request = try cycle.next() {
      requests.append(request)
      guard requests.count < 500 else {
        Issue.record("it never ends")
        break
      }
      if let answer = try instead(requests.count, request) {
        try cycle.receive(answer)
      } else {
        try cycle.receive(service.answer(request))
      }
    }
    return cycle.report
  }

  @discardableResult
  private func run(_ exchange: DeltaExchange, _ service: DeltaService) throws -> DeltaExchangeReport {
    var requests: [HTTPRequest] = []
    return try run(exchange, service, asking: &requests)
  }

  @Test func `both ends hold the same afterwards, and a second exchange is one request`() throws {
    let (one, two, service) = (try replica(3), try replica(2), DeltaService(try replica()))
    let first = try run(DeltaExchange(one), service)
    #expect(first.sent.pages == 2 && first.sent.registers == 3, "an empty page asks how far the server is")
    #expect(first.fetched.registers == 0 && first.stopped == nil)
    let second = try run(DeltaExchange(two), service)
    #expect(second.sent.registers == 2 && second.fetched.registers == 3)
    #expect(second.merged?.changes.records.count == 3)
    #expect(try two.delta() == service.replica.delta())
    let again = try run(DeltaExchange(two), service)
    #expect(again.requests == 1 && again.sent.pages == 0 && again.fetched.registers == 0)
    try two.set(["title": 9], id: try two.records(in: "jobs")[0].id, in: "jobs")
    let edit = try run(DeltaExchange(two), service)
    #expect(edit.requests == 2 && edit.sent.registers == 1)
    try run(DeltaExchange(one), service)
    #expect(try one.delta() == two.delta())
  }

  @Test func `a device with nothing asks for everything at once`() throws {
    let (device, service) = (try replica(), DeltaService(try replica(4)))
    let report = try run(DeltaExchange(device), service)
    #expect(report.requests == 1 && report.fetched.registers == 4)
  }

  @Test func `what was taken in before a cut is not sent twice`() throws {
    let (device, service) = (try replica(9), DeltaService(try replica(7), pageBytes: 1))
    var sent: [String: Int] = [:]
    for _ in 0..<40 {
      var cycle = DeltaExchange(device, pageBytes: 1).cycle()
      // One answer comes, and the next one is lost.
      for number in 0..<2 {
        guard let request = try cycle.next() else {
          #expect(try device.delta() == service.replica.delta())
          #expect(sent.count == 9 && sent.values.allSatisfy { $0 <= 2 })
          return
        }
        if request.path == "/mutations",
          case .array(let mutations)? = try JSON(parsing: request.body)["mutations"]
        {
          for mutation in mutations { sent["\(mutation["entity_id"] ?? .null)", default: 0] += 1 }
        }
        let answer = try service.answer(request)
        if number == 0 { try cycle.receive(answer) }
      }
    }
    Issue.record("it never ends")
  }

  @Test(arguments: [401, 403, 426])
  func `somebody has to do something first`(_ status: Int) throws {
    for count in [0, 2] {
      let device = try replica(count)
      var requests: [HTTPRequest] = []
      let report = try run(DeltaExchange(device), DeltaService(try replica()), asking: &requests) { _, _ in
        .some(HTTPResponse(status: status))
      }
      #expect(report.stopped == (status == 426 ? .upgradeRequired : .signedOut) && requests.count == 1)
    }
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func `a server that is busy is left alone as long as it wishes`(_ status: Int) throws {
    let (device, service) = (try replica(1), DeltaService(try replica()))
    var requests: [HTTPRequest] = []
    let busy = HTTPResponse(status: status, headers: [HTTPRequest.Parameter("Retry-After", "90")])
    let report = try run(DeltaExchange(device), service, asking: &requests) { _, _ in .some(busy) }
    #expect(report.stopped == .busy(status: status))
    #expect(try run(DeltaExchange(device), service).stopped == .waiting(milliseconds: 90_000))
    var cycle = DeltaExchange(device).cycle(ignoringWaits: true)
    #expect(try cycle.next() != nil)
    environment.pass(milliseconds: 90_000)
    #expect(try run(DeltaExchange(device), service).stopped == nil)
  }

  @Test func `what is answered by somebody else, or not at all, ends it and loses nothing`() throws {
    let (device, service) = (try replica(2), DeltaService(try replica(2)))
    let odd: [HTTPResponse?] = [
      nil, HTTPResponse(status: 200, body: Array("<html>".utf8)),
      HTTPResponse(status: 200, body: Array("{}".utf8)),
      HTTPResponse(status: 404, body: Array("not here".utf8)), HTTPResponse(status: 302),
      HTTPResponse(status: 200, body: Array(#"{"vector":{"x":"y"},"cursor":null}"#.utf8)),
      HTTPResponse(status: 200, body: Array(#"{"vector":{},"cursor":"z"}"#.utf8)),
    ]
    for place in 1...3 {
      for answer in odd {
        let device = try replica(2)
        var requests: [HTTPRequest] = []
        let report = try run(DeltaExchange(device), service, asking: &requests) { number, _ in
          number == place ? .some(answer) : nil
        }
        #expect(report.stopped != nil && requests.count == place)
        #expect(try run(DeltaExchange(device), service).stopped == nil)
        #expect(try device.delta() == service.replica.delta())
      }
    }
    try run(DeltaExchange(device), service)
    #expect(try device.delta() == service.replica.delta())
  }

  @Test func `a page that cannot be read, or answers another question, is not taken`() throws {
    let service = DeltaService(try replica(4))
    // Any text names an incarnation, an empty list of lives or entries is one, and fewer changes are still a page.
    let fine: [String: [JSON]] = ["incarnation": ["x"], "format": [1]]
    let emptyList: [JSON] = [.array([])]
    let odd: [JSON] = [
      .null, 1, "x", ["0000000000000001": "0000000000000001"], [1], ["x": "y"], .object([]), .array([]),
    ]
    for member in [
      "from", "after", "through", "replica", "incarnation", "changes", "lives", "log", "cursor", "dataset",
      "format",
    ] {
      for odd in odd {
        let device = try replica()
        var requests: [HTTPRequest] = []
        let report = try run(DeltaExchange(device), service, asking: &requests) { _, request in
          guard case .object(let members)? = try service.answer(request).json else { return nil }
          let changed = members.map { JSON.Member($0.name, $0.name == member ? odd : $0.value) }
          return .some(HTTPResponse(status: 200, body: JSON.object(changed).bytes()))
        }
        let isFine =
          (fine[member] ?? []).contains(odd)
          || ["changes", "lives", "log"].contains(member) && emptyList.contains(odd)
          || ["after", "cursor"].contains(member) && odd == .null || member == "from" && odd == .object([])
        #expect((report.stopped == nil) == isFine, "\(member) \(odd)")
        guard !isFine else { continue }
        #expect(device.version.isEmpty)
        #expect(try run(DeltaExchange(device), service).stopped == nil)
        #expect(try device.delta() == service.replica.delta())
      }
    }
  }

  @Test func `a page that is too large is halved until it fits`() throws {
    let (device, service) = (try replica(20), DeltaService(try replica()))
    var requests: [HTTPRequest] = []
    let report = try run(DeltaExchange(device), service, asking: &requests) { _, request in
      request.body.count > 2_000 ? .some(HTTPResponse(status: 413, body: Array("{}".utf8))) : nil
    }
    #expect(report.stopped == nil && report.sent.registers == 20 && report.sent.pages > 3)
    #expect(try device.delta() == service.replica.delta())
    try device.insert(
      ["title": .string(String(repeating: "x", count: 3_000))], id: device.newID(), in: "jobs")
    #expect(throws: DeltaExchangeError.refused(replica: device.id, status: 413, reason: "too_large")) {
      try run(DeltaExchange(device), service, asking: &requests) { _, request in
        request.body.count > 2_000
          ? .some(HTTPResponse(status: 413, body: Array(#"{"error":"too_large"}"#.utf8))) : nil
      }
    }
  }

  @Test func `data sets do not mix`() throws {
    let service = DeltaService(try replica(2))
    let device = try replica(1, dataset: DatasetID(name: "other"))
    let error = ReplicaError.differentDataset(
      replica: device.id, own: device.dataset, other: service.replica.dataset)
    for _ in 0..<2 {
      #expect(throws: error) { try run(DeltaExchange(device), service) }
    }
    #expect(try device.records(in: "jobs").count == 1)
    #expect(try service.replica.records(in: "jobs").count == 2)
  }

  @Test func `a server that was set back gets again what it lost, in one exchange`() throws {
    let device = try replica(3)
    let (service, old) = (DeltaService(try replica()), DeltaService(try replica()))
    try run(DeltaExchange(device), service)
    let report = try run(DeltaExchange(device), old)
    #expect(report.sent.registers == 3)
    #expect(try old.replica.delta() == device.delta())
    // As above, where something new goes out first.
    let older = DeltaService(try replica())
    try device.insert(["title": 9], id: device.newID(), in: "jobs")
    #expect(try run(DeltaExchange(device), older).stopped == nil)
    #expect(try older.replica.delta() == device.delta())
  }

  @Test func `a server that never gets on is found out`() throws {
    let (device, service) = (try replica(2), DeltaService(try replica(3), pageBytes: 1))
    var requests: [HTTPRequest] = []
    let first = try service.answer(try #require(try DeltaExchange(try replica()).cycle().asked()))
    for path in ["/mutations", "/sync"] {
      #expect(throws: DeltaExchangeError.doesNotMove(replica: device.id)) {
        try run(DeltaExchange(device), service, asking: &requests) { number, request in
          guard request.path == path else { return nil }
          let gap = #"{"error":"gap","vector":{},"cursor":null}"#
          return .some(
            path == "/sync" ? first.answering(request) : HTTPResponse(status: 409, body: Array(gap.utf8)))
        }
      }
    }
  }
}

extension DeltaCycle {
  /// Its first request.
  fileprivate func asked() throws -> HTTPRequest? {
    var cycle = self
    return try cycle.next()
  }
}

extension HTTPResponse {
  /// The same page as if it answered another question.
  fileprivate func answering(_ request: HTTPRequest) -> HTTPResponse {
    guard case .object(let members)? = json, let asked = try? JSON(parsing: request.body) else { return self }
    let changed = members.map { member in
      ["from", "after"].contains(member.name)
        ? JSON.Member(member.name, asked[member.name] ?? .null) : member
    }
    return HTTPResponse(status: status, body: JSON.object(changed).bytes())
  }
}
