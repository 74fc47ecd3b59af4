import AccountTrackers
import Rejoin

/// The demo: three replicas in files import the same accounts, write apart from each other, exchange deltas
/// over a lossy ring, and converge.
///
/// One seed, one output.
struct Demo {
  /// What the demo found.
  struct Outcome {
    /// The exchange after the imports, and the one after everybody wrote apart.
    var meetings: [Meeting] = []
    /// What everybody did apart.
    var story: [String] = []
    var members: [DemoMember]
    var digests: [Digest] = []
    /// What the ledger of everybody holds in the end.
    var ledger: (held: Int, open: Int) = (0, 0)

    /// Whether all replicas cover the same and hold the same.
    var hasConverged: Bool {
      Set(members.map(\.replica.version)).count == 1 && Set(digests).count == 1
    }
  }

  /// One exchange around the ring, until all cover the same.
  struct Meeting {
    var rounds: Int
    var counts: LossyChannel<Parcel>.Counts
    var received: [DemoMember.Received]
  }

  /// What travels around the ring: what somebody lacks, or a delta for them.
  enum Parcel {
    case request(from: Int, to: Int, VersionVector)
    case delta(to: Int, [UInt8])
  }

  /// No more rounds than this: a ring of three that loses a third converges in about ten.
  static let maximalRounds = 200

  let seed: UInt64
  let folder: String

  func run(_ export: AccountExport) throws -> Outcome {
    let clock = DemoClock(seed: seed, startMilliseconds: 1_796_025_600_000)
    var members: [DemoMember] = []
    for (index, name) in ["phone", "tablet", "laptop"].enumerated() {
      members.append(
        try DemoMember(
          name: name, path: "\(folder)/\(name).sqlite", dataset: DatasetID(name: "demo"),
          environment: clock.environment(skewMilliseconds: [0, 1_400, -900][index])))
    }
    for member in members {
      try member.importAll(export)
      clock.advance(milliseconds: 60_000)
    }
    var outcome = Outcome(members: members)
    try outcome.meetings.append(meet(&outcome.members, clock: clock, seed: seed &+ 1))
    outcome.story = try DemoStory(clock: clock, export: export)
      .run(members[0].replica, members[1].replica, members[2].replica)
    try outcome.meetings.append(meet(&outcome.members, clock: clock, seed: seed &+ 2))
    outcome.digests = try members.map { try $0.replica.digest() }
    let held = try members[0].replica.conflicts(includingSettled: true)
    outcome.ledger = (held.count, held.count(where: \.isOpen))
    return outcome
  }

  /// Exchanges deltas until all cover the same, or gives up.
  private func meet(_ members: inout [DemoMember], clock: DemoClock, seed: UInt64) throws -> Meeting {
    var channel = LossyChannel<Parcel>(seed: seed, lossPercent: 30, duplicatePercent: 20)
    var rounds = 0
    while rounds < Demo.maximalRounds, Set(members.map(\.replica.version)).count > 1 {
      rounds += 1
      try exchange(&members, over: &channel)
      clock.advance(milliseconds: 5_000)
    }
    let received = members.map(\.received)
    for index in members.indices { members[index].received = DemoMember.Received() }
    return Meeting(rounds: rounds, counts: channel.counts, received: received)
  }

  /// One round: everybody asks the neighbour for what it lacks, and answers what reached it.
  private func exchange(_ members: inout [DemoMember], over channel: inout LossyChannel<Parcel>) throws {
    for index in members.indices {
      channel.send(
        .request(from: index, to: (index + 1) % members.count, members[index].replica.version))
    }
    for _ in 0..<2 {
      for parcel in channel.receive() {
        switch parcel {
        case .request(let asking, let asked, let version):
          let delta = try members[asked].replica.delta(since: version)
          if !delta.isEmpty { channel.send(.delta(to: asking, delta.encoded())) }
        case .delta(let receiver, let bytes):
          try members[receiver].receive(bytes)
        }
      }
    }
  }
}
