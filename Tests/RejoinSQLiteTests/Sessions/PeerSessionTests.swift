import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Two replicas that meet over a stream of bytes.
struct PeerSessionTests {
  /// Lets both ends speak until nothing is said any more, or `cut` decides; what they say arrives in pieces.
  @discardableResult
  private func meet(
    _ one: Replica, _ other: Replica, pageBytes: Int = 256 << 10, piece: Int = .max,
    cut: (Int) -> Bool = { _ in false }
  ) throws -> (SessionReport, SessionReport) {
    var ends = [PeerSession(one, pageBytes: pageBytes), PeerSession(other, pageBytes: pageBytes)]
    var underWay: [[UInt8]] = [try ends[1].start(), try ends[0].start()]
    var said = 0
    while let to = underWay.firstIndex(where: { !$0.isEmpty }) {
      said += 1
      guard said < 5_000 else {
        Issue.record("it never ends")
        break
      }
      if cut(said) { break }
      let bytes = Array(underWay[to].prefix(piece))
      underWay[to].removeFirst(bytes.count)
      underWay[1 - to] += try ends[to].receive(bytes)
    }
    return (ends[0].report, ends[1].report)
  }

  private func fill(_ replica: Replica, _ count: Int) throws {
    for number in 0..<count {
      try replica.insert(["email": .int(Int64(number))], id: replica.newID(), in: "accounts")
    }
    try replica.append(["what": "filled"], to: "activity")
  }

  @Test(arguments: StoreKind.allCases, [1, 300, 100_000])
  func `both hold the same afterwards, whatever the pages and the pieces`(_ kind: StoreKind, _ pageBytes: Int)
    throws
  {
    for piece in [1, 7, 1_000, Int.max] where piece > 7 || pageBytes > 1 {
      try withStores(kind) { stores in
        let (one, other) = (try stores.replica("one"), try stores.replica("other"))
        try fill(one, 12)
        try fill(other, 7)
        let (here, there) = try meet(one, other, pageBytes: pageBytes, piece: piece)
        #expect(try one.delta() == other.delta())
        #expect(here.merged != nil && there.merged != nil)
        #expect(here.sent == there.received && there.sent == here.received)
        #expect(here.bytesSent == there.bytesReceived && here.sent.registers == 12)
        let (again, _) = try meet(one, other, pageBytes: pageBytes, piece: piece)
        #expect(again.sent.registers == 0 && again.received.registers == 0)
      }
    }
  }

  @Test func `one field between replicas of many records takes less than 400 bytes in all`() throws {
    try withStores(.memory) { stores in
      let (one, other) = (try stores.replica("one"), try stores.replica("other"))
      let id = one.newID()
      try one.write { transaction in
        try transaction.insert(["email": "ada"], id: id, in: "accounts")
        for _ in 0..<5_000 { try transaction.insert(["email": "x"], id: one.newID(), in: "accounts") }
      }
      try fill(other, 1)
      try meet(one, other)
      stores.clock.advance(milliseconds: 1)
      try one.set(["email": "ada@example.com"], id: id, in: "accounts")
      let (report, _) = try meet(one, other)
      #expect(report.sent.registers == 1)
      print("session, one field: \(report.bytesSent) bytes there, \(report.bytesReceived) back")
      #expect(report.bytesSent + report.bytesReceived <= 400)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a session that is cut anywhere goes on with the next, and nothing is sent twice`(_ kind: StoreKind)
    throws
  {
    for cut in 1..<25 {
      try withStores(kind) { stores in
        let (one, other) = (try stores.replica("one"), try stores.replica("other"))
        try fill(one, 9)
        try fill(other, 5)
        let (first, _) = try meet(one, other, pageBytes: 1) { $0 == cut }
        let (second, _) = try meet(one, other, pageBytes: 1)
        #expect(try one.delta() == other.delta())
        // What was under way when it was cut is sent again: a page for each direction.
        let total = first.received.registers + second.received.registers
        #expect(total >= 5 && total <= 6)
      }
    }
  }

  @Test func `a replica does not meet itself, its copy or another data set`() throws {
    try withStores(.memory) { stores in
      let one = try stores.replica("one")
      try fill(one, 1)
      #expect(throws: SessionError.sameReplica(replica: one.id)) { try meet(one, one) }
      let stranger = try stores.replica("stranger", dataset: DatasetID(name: "other"))
      try fill(stranger, 1)
      #expect(throws: ReplicaError.self) { try meet(one, stranger) }
      let open = try stores.replica("open", dataset: nil)
      try meet(one, open)
      #expect(try open.delta() == one.delta())
    }
  }

  @Test func `the other end is told why, and how far clocks are apart`() throws {
    try withStores(.memory) { stores in
      let one = try stores.replica("one")
      var session = PeerSession(one)
      _ = try session.start()
      for (error, refusal): (any Error, SessionError.Refusal) in [
        (CodingError.notADelta, .notUnderstood),
        (CodingError.upgradeRequired(format: 9, supported: 1...1), .format),
        (SessionError.sameReplica(replica: one.id), .sameReplica), (InjectedFailure(), .failure),
      ] {
        var other = PeerSession(try stores.replica("other"))
        #expect(throws: SessionError.refused(replica: other.replica.id, refusal)) {
          try other.receive(session.refusal(of: error))
        }
      }
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 90_000))
      let (report, _) = try meet(one, fast)
      #expect(report.clockOffsetMilliseconds == 90_000 && report.peer == fast.id)
    }
  }

  @Test func `bytes that are no session, or not in turn, are typed errors and change nothing`() throws {
    try withStores(.memory) { stores in
      let (one, other) = (try stores.replica("one"), try stores.replica("other"))
      try fill(one, 3)
      var first = PeerSession(one, pageBytes: 1)
      let hello = try first.start()
      var speaker = PeerSession(other)
      let otherHello = try speaker.start()
      let page = try first.receive(otherHello)
      var generator = SplitMix64(seed: 5)
      for _ in 0..<3_000 {
        var victim = PeerSession(try stores.replica("victim"))
        _ = try victim.start()
        var bytes = [hello, page, hello + page, page + hello, hello + hello][Int(generator.next() % 5)]
        for _ in 0..<generator.next() % 4 {
          let place = Int(generator.next() % UInt64(bytes.count))
          switch generator.next() % 3 {
          case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
          case 1: bytes.remove(at: place)
          default: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
          }
        }
        do {
          _ = try victim.receive(bytes)
        } catch is CodingError {
        } catch is SessionError {
        } catch is ReplicaError {
        }
      }
      for wrong in [page, hello + hello] {
        var victim = PeerSession(other)
        #expect(throws: SessionError.outOfTurn(replica: other.id)) { try victim.receive(wrong) }
      }
      // A length that nobody sends is refused before anything of it has come.
      var victim = PeerSession(other)
      #expect(throws: CodingError.self) { try victim.receive([0xff, 0xff, 0xff, 0xff, 0x7f]) }
      #expect(other.version.isEmpty)
    }
  }
}
