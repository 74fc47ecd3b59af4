import Rejoin
import RejoinCore

/// A whole replica among others whose clocks are often too far ahead, so that registers wait in future slots.
///
/// What shows then depends on each one's clock, and a waiting register may win over an edit that was made later. So
/// nobody judges what shows, but for counters and sets; but all must come to hold the same, and every merge must keep
/// its promises.
package struct DriftingReplica: ReplicatedType {
  /// What is held, and for readers of traces what shows of it.
  package struct Observation: Equatable, Sendable, CustomStringConvertible {
    let held: Snapshot?
    let content: Content

    /// Whether the same is held, whatever shows.
    package static func == (left: Observation, right: Observation) -> Bool {
      left.held?.held == right.held?.held && left.content.fingerprint == right.content.fingerprint
        && left.content.fault == right.content.fault
    }

    package var description: String { content.description }
  }

  private var engine: SimulatedReplica<MemoryStorage>

  package init(replica number: Int, of count: Int) {
    engine = SimulatedReplica(replica: number, of: count, maxDriftMilliseconds: 100)
  }

  package func operation(_ choices: inout Choices) -> Edit { engine.operation(&choices) }

  package mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    engine.apply(edit, clockMilliseconds: clockMilliseconds)
  }

  package mutating func message(to receiver: Int) -> SimulatedReplica<MemoryStorage>.Message? {
    engine.message(to: receiver)
  }

  package mutating func merge(
    _ message: SimulatedReplica<MemoryStorage>.Message, from sender: Int, clockMilliseconds: Int64
  ) -> Bool {
    engine.merge(message, from: sender, clockMilliseconds: clockMilliseconds)
  }

  package mutating func crash() { engine.crash() }

  package var observation: Observation {
    Observation(held: try? engine.snapshot(), content: engine.observation)
  }

  package static func objection(to observation: Observation, after past: Past<Edit>) -> String? {
    guard observation.content.fault == nil else { return "a rule of the library was broken on the way" }
    // Counters and sets wait for nothing, so no clock decides what they show.
    let counts = CausalCounts(happenedIn: past)
    for (record, shown) in observation.content.records.sorted(by: { $0.key < $1.key }) {
      if let objection = counts.objection(to: shown, of: record, after: past) {
        return "record \(record): \(objection)"
      }
    }
    return nil
  }

  package mutating func inspect() { engine.inspect() }

  package func outcome(of edit: Edit) -> Edit { engine.outcome(of: edit) }

  package static var hasValueSemantics: Bool { false }
}
