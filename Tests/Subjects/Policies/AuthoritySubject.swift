import Rejoin
package import RejoinCore
package import RejoinTesting

/// Replicas that hand the authority over a field around, take it, and write the field whether they may or not.
///
/// What is refused must leave no trace. Of the rest the rule is simple: of grants and of writes those of the highest
/// rank count, and among these the ones that no other had seen.
package struct AuthoritySubject: ReplicatedType {
  package enum Operation: Sendable, Equatable {
    case grant(to: Int, evenIfHeld: Bool)
    case write(Int)
    /// What they came to.
    case granted(to: Int, rank: UInt64)
    case wrote(Int, rank: UInt64)
    case refused
  }

  package struct Observation: Equatable, Sendable {
    var holder: Int?
    var rank: UInt64?
    var value: Int?
    /// A refused operation changed something, or something broke.
    var fault: String?
  }

  private static let record = RecordID(high: 0, low: 1)
  private let replica: Replica
  private let environment: SimulatedEnvironment
  private let count: Int
  private var outcome = Operation.refused
  private var fault: String?

  package init(replica number: Int, of count: Int) {
    self.count = count
    environment = SimulatedEnvironment(seed: UInt64(number) + 1)
    replica = Replica(configuration: environment.configuration())
    replica.declare([FieldPolicy("price", .authority)], in: "offers")
    do { try replica.insert([:], id: Self.record, in: "offers") } catch { fault = "\(error)" }
  }

  /// The id that the replica of a number draws.
  private static func id(of number: Int) -> ReplicaID {
    let environment = SimulatedEnvironment(seed: UInt64(number) + 1)
    return Replica(configuration: environment.configuration()).id
  }

  package func operation(_ choices: inout Choices) -> Operation {
    if choices.happens(percent: 50) { return .write(choices.number(below: 10)) }
    return .grant(to: choices.number(below: count), evenIfHeld: choices.happens(percent: 25))
  }

  package mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    environment.wallMilliseconds = clockMilliseconds
    do {
      let before = try replica.trace()
      do {
        outcome = try perform(operation)
      } catch is ReplicaError {
        outcome = .refused
        if try replica.trace() != before { fault = "a refused write left a trace" }
      }
    } catch {
      fault = "\(error)"
    }
  }

  private func perform(_ operation: Operation) throws -> Operation {
    switch operation {
    case .grant(let number, let evenIfHeld):
      let before = try replica.authority(over: "price", in: "offers")
      let holder = Self.id(of: number)
      try replica.grantAuthority(over: "price", in: "offers", to: holder, evenIfHeld: evenIfHeld)
      let authority = Authority(holder: holder, rank: (before?.rank ?? 0) + 1)
      guard try replica.authority(over: "price", in: "offers") == authority else { throw LostWrite() }
      return .granted(to: number, rank: authority.rank)
    case .write(let value):
      try replica.set(["price": .int(Int64(value))], id: Self.record, in: "offers")
      let winner = try replica.explain("price", of: Self.record, in: "offers").winner
      guard winner?.register.value == .int(Int64(value)) else { throw LostWrite() }
      let authority = try replica.authority(over: "price", in: "offers")
      guard let rank = winner?.register.precedence.rank,
        authority == Authority(holder: replica.id, rank: rank)
      else { throw LostWrite() }
      return .wrote(value, rank: rank)
    case .granted, .wrote, .refused: return .refused
    }
  }

  private struct LostWrite: Error {}

  package func outcome(of operation: Operation) -> Operation { outcome }

  package func message(to receiver: Int) -> Delta? { try? replica.delta() }

  package mutating func merge(_ message: Delta, from sender: Int, clockMilliseconds: Int64) -> Bool {
    environment.wallMilliseconds = clockMilliseconds
    do { try replica.merge(message) } catch { fault = "\(error)" }
    return true
  }

  package var observation: Observation {
    var observation = Observation(fault: fault)
    do {
      let authority = try replica.authority(over: "price", in: "offers")
      observation.holder = (0..<count).first { authority?.holder == Self.id(of: $0) }
      observation.rank = authority?.rank
      let fields = try replica.fields(of: Self.record, in: "offers")
      if case .int(let value)? = fields?["price"] { observation.value = Int(value) }
    } catch {
      observation.fault = "\(error)"
    }
    return observation
  }

  package static func objection(to observation: Observation, after past: Past<Operation>) -> String? {
    if let fault = observation.fault { return fault }
    let grants = past.events.compactMap { event in
      if case .granted(let number, let rank) = event.operation { (number, rank, event) } else { nil }
    }
    let writes = past.events.compactMap { event in
      if case .wrote(let value, let rank) = event.operation { (value, rank, event) } else { nil }
    }
    guard isRight(observation.holder, rank: observation.rank, among: grants, of: past) else {
      return "the holder is that of no grant of the highest rank"
    }
    guard isRight(observation.value, rank: nil, among: writes, of: past) else {
      return "the value is that of no write of the highest rank"
    }
    return nil
  }

  private static func isRight(
    _ shown: Int?, rank: UInt64?, among made: [(Int, UInt64, Past<Operation>.Event)], of past: Past<Operation>
  ) -> Bool {
    guard let highest = made.map({ $0.1 }).max() else { return shown == nil }
    if let rank, rank != highest { return false }
    let best = made.filter { $0.1 == highest }
    let heads = best.filter { one in !best.contains { past.precedes(one.2, $0.2) } }
    return heads.contains { $0.0 == shown }
  }

  package static var hasValueSemantics: Bool { false }
}
