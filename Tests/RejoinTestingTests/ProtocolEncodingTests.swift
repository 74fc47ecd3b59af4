import Rejoin
import RejoinCore
import Testing

@testable import RejoinTesting

/// What the comparison of protocols counts as bytes is what the library's encoder makes, and can be read again.
struct ProtocolEncodingTests {
  @Test(arguments: [ProtocolComparison.Workload.gset, .gmap(percent: 10), .gmap(percent: 100)])
  func `elements are counted as large as the encoder makes them`(
    workload: ProtocolComparison.Workload
  ) throws {
    let world = try World(workload)
    for seed in 0..<20 as Range<UInt64> {
      let cut = Cut(seed: seed, of: world.plan)
      let size: EncodedSize
      switch workload {
      case .gset: size = cut.news(as: ElementSet.self, of: world.plan).encodedSize(of: world.plan)
      case .gmap: size = cut.news(as: ElementMap.self, of: world.plan).encodedSize(of: world.plan)
      }
      var delta = try world.nodes[0].replica.delta(since: world.version(cut))
      let times = delta.records.flatMap(\.fragment.timestamps) + delta.entries.map(\.entry.timestamp)
      delta.from = VersionVector()
      delta.through = VersionVector(times.map { ($0.replica, $0.time) })
      #expect(size.alone == delta.encoded().count)
      #expect(size.origins == delta.through.entries.count)
    }
  }

  @Test func `a framed delta is the same delta at the other end`() throws {
    for workload in [ProtocolComparison.Workload.gset, .gmap(percent: 10)] {
      let world = try World(workload)
      for seed in 0..<20 as Range<UInt64> {
        // Of some replicas the receiver has more than the sender, of some the sender has heard nothing.
        var since = world.version(Cut(seed: seed, of: world.plan))
        for replica in world.roster where (replica.rawValue ^ seed) % 3 == 0 {
          since.advance(replica, to: HybridTime(milliseconds: .max / 2, counter: 7))
        }
        let delta = try world.nodes[Int(seed) % 2].replica.delta(since: since)
        var writer = ByteWriter()
        writer.write([1, 2, 3])
        let frame = DeltaFrame(delta, number: 7)
        let wholeSize = frame.write(to: &writer, roster: world.roster)
        #expect(wholeSize == delta.encoded().count)
        #expect(writer.bytes.count < delta.encoded().count)
        var reader = ByteReader(writer.bytes)
        _ = try reader.readRange(count: 3)
        let place = DeltaFrame.Place(
          number: 7, hasExceptions: frame.hasExceptions, candidates: [VersionVector(), since])
        let read = try place.read(from: &reader, dataset: delta.dataset, roster: world.roster)
        #expect(read == delta)
        #expect(read?.encoded() == delta.encoded())
      }
    }
  }

  @Test func `a damaged frame is refused`() throws {
    let world = try World(.gset)
    let delta = try world.nodes[0].replica.delta()
    var writer = ByteWriter()
    let frame = DeltaFrame(delta, number: 7)
    _ = frame.write(to: &writer, roster: world.roster)
    let place = DeltaFrame.Place(number: 7, hasExceptions: frame.hasExceptions, candidates: [VersionVector()])
    for index in stride(from: 0, to: writer.bytes.count, by: 7) {
      var damaged = writer.bytes
      damaged[index] ^= 4
      var reader = ByteReader(damaged)
      #expect(try place.read(from: &reader, dataset: delta.dataset, roster: world.roster) == nil)
    }
  }

  @Test func `a frame that stands on another question or vector is refused`() throws {
    let world = try World(.gset)
    let delta = try world.nodes[0].replica.delta()
    var writer = ByteWriter()
    let frame = DeltaFrame(delta, number: 7)
    _ = frame.write(to: &writer, roster: world.roster)
    func read(number: Int, since: VersionVector) throws -> Delta? {
      var reader = ByteReader(writer.bytes)
      let place = DeltaFrame.Place(number: number, hasExceptions: frame.hasExceptions, candidates: [since])
      return try place.read(from: &reader, dataset: delta.dataset, roster: world.roster)
    }
    #expect(try read(number: 7, since: VersionVector()) == delta)
    #expect(try read(number: 71, since: VersionVector()) == nil)
    #expect(try read(number: 7, since: world.version(Cut(seed: 1, of: world.plan))) == nil)
  }

  @Test func `a replica that only claims to have everything is not complete`() throws {
    for workload in [ProtocolComparison.Workload.gset, .gmap(percent: 10)] {
      let world = try World(workload)
      #expect(world.nodes[0].isComplete)
      let claim = Delta(
        dataset: world.nodes[0].replica.dataset, from: VersionVector(),
        through: world.nodes[0].replica.version, records: [], entries: [])
      try world.nodes[9].replica.merge(claim)
      #expect(world.nodes[9].replica.version == world.nodes[0].replica.version)
      #expect(!world.nodes[9].isComplete)
    }
  }

  @Test func `vector entries differ forwards, backwards and by their counters`() throws {
    let roster = (1...4 as ClosedRange<UInt64>).map { ReplicaID(rawValue: $0) }
    let known = VersionVector(roster.dropLast().map { ($0, HybridTime(milliseconds: 500, counter: 2)) })
    let times = [(700, 0), (499, 65_535), (0, 0), (3, 1)] as [(Int64, UInt16)]
    let entries = zip(roster, times).map { ($0, HybridTime(milliseconds: $1.0, counter: $1.1)) }
    var writer = ByteWriter()
    VectorDifference(entries).write(to: &writer, against: known, roster: roster)
    var reader = ByteReader(writer.bytes)
    let read = try VectorDifference(from: &reader, against: known, roster: roster).entries
    #expect(read.map(\.replica) == roster)
    #expect(read.map(\.time) == entries.map(\.1))
    #expect(reader.isAtEnd)
  }
}

/// Nodes of which the first holds all updates of a plan, the second those of some nodes.
private struct World {
  let plan: Plan
  let nodes: [PullNode]
  let roster: [ReplicaID]

  init(_ workload: ProtocolComparison.Workload) throws {
    plan = Plan(ProtocolComparison(topology: .tree, workload: workload, seed: 5, updates: 8))
    let clock = SimulatedClock()
    var nodes = plan.updatesOfNode.indices.map { [plan] in PullNode($0, plan, clock: clock) }
    for (number, update) in plan.updates.enumerated() {
      clock.now = update.time
      try nodes[update.node].write(number)
    }
    for (node, other) in nodes.enumerated() where node > 0 {
      try nodes[0].replica.merge(other.replica.delta(since: nodes[0].replica.version))
      if node > 1, node < 9 { try nodes[1].replica.merge(other.replica.delta()) }
    }
    self.nodes = nodes
    roster = nodes.map(\.replica.id)
  }

  /// The vector of somebody who has the first updates of each node.
  func version(_ cut: Cut) -> VersionVector {
    var version = VersionVector()
    for (node, count) in cut.counts.enumerated() where count > 0 {
      let last = plan.updates[plan.updatesOfNode[node][count - 1]]
      version.advance(roster[node], to: StoredForm.time(of: last))
    }
    return version
  }
}

/// How many updates of each node somebody has.
private struct Cut {
  let counts: [Int]

  init(seed: UInt64, of plan: Plan) {
    var generator = SplitMix64(seed: seed)
    counts = plan.updatesOfNode.map { generator.number(below: $0.count + 1) }
  }

  /// What that one lacks.
  func news<Elements: Contents>(as type: Elements.Type, of plan: Plan) -> Elements {
    var known = Elements(of: plan)
    for (node, count) in counts.enumerated() {
      for update in plan.updatesOfNode[node].prefix(count) { known.merge(Elements(update: update, of: plan)) }
    }
    return known.take(.everything(of: plan))
  }
}
