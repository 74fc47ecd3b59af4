import AccountTrackers
import Rejoin

/// The demo: three replicas in files import the same accounts, write apart from each other, exchange deltas
/// over a lossy ring, and converge.
///
/// One seed, one output.
struct Demo {
  /// What the demo found.
  struct Outcome {
    var story: [String]
    var members: [DemoMember]
    var counts: LossyChannel<Parcel>.Counts
    var rounds: Int
    var digests: [Digest]

    /// Whether all replicas cover the same and hold the same.
    var hasConverged: Bool {
      Set(members.map(\.replica.version)).count == 1 && Set(digests).count == 1
    }
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
    let story = try DemoStory(clock: clock, export: export)
      .run(members[0].replica, members[1].replica, members[2].replica)
    var channel = LossyChannel<Parcel>(seed: seed &+ 1, lossPercent: 30, duplicatePercent: 20)
    var rounds = 0
    while rounds < Demo.maximalRounds, Set(members.map(\.replica.version)).count > 1 {
      rounds += 1
      try exchange(&members, over: &channel)
      clock.advance(milliseconds: 5_000)
    }
    return Outcome(
      story: story, members: members, counts: channel.counts, rounds: rounds,
      digests: try members.map { try $0.replica.digest() })
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
