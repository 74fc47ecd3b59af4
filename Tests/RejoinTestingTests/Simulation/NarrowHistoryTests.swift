import Rejoin
import RejoinCore
@testable import RejoinTesting
import Testing

/// Some histories of a soak are about one record and few times.
struct NarrowHistoryTests {
  private typealias Replicas = SimulatedReplica<MemoryStorage>

  /// How many edits of the first record, and how many pairs of writers that wrote at one time.
  private static func races(narrowPercent: Int) -> (ofFirst: Int, ofOthers: Int, ties: Int) {
    var options = Simulation.soak
    options.narrowPercent = narrowPercent
    var races = (ofFirst: 0, ofOthers: 0, ties: 0)
    for seed in UInt64(0)..<10 {
      let history = History<Replicas>(seed: seed, options: options)
      var world = World<Replicas>(
        replicaCount: history.replicaCount, millisecondsPerStep: history.millisecondsPerStep)
      var writers: [HybridTime: Set<Int>] = [:]
      for drawn in history.steps {
        guard (try? world.perform(drawn.step)) != nil else { break }
        guard case .operate(let replica, .commit(let writes)) = drawn.step else { continue }
        for write in writes {
          if write.record == 0 { races.ofFirst += 1 } else { races.ofOthers += 1 }
        }
        let writer = world.replicas[replica].replica
        if writer.version[writer.id] > .zero {
          writers[writer.version[writer.id], default: []].insert(replica)
        }
      }
      races.ties += writers.values.count { $0.count > 1 }
    }
    return races
  }

  @Test func `edits meet at one place and at one time`() {
    let narrow = Self.races(narrowPercent: 100)
    let wide = Self.races(narrowPercent: 0)
    #expect(narrow.ofFirst > 3 * narrow.ofOthers, "\(narrow)")
    #expect(wide.ofFirst < wide.ofOthers, "\(wide)")
    #expect(narrow.ties >= 10, "\(narrow)")
    #expect(wide.ties < narrow.ties, "\(wide)")
  }

  @Test func `a replay is narrow when its history was`() {
    var options = Simulation.soak
    options.narrowPercent = 50
    var outcomes: Set<Bool> = []
    for seed in UInt64(0)..<10 {
      let history = History<Replicas>(seed: seed, options: options)
      let again = History<Replicas>(replaying: history.sequence, options: options)
      #expect(again.isWhole && again.isFaithful)
      #expect(again.millisecondsPerStep == history.millisecondsPerStep)
      #expect(again.outcome.map(\.description) == history.outcome.map(\.description))
      outcomes.insert(history.millisecondsPerStep == 0)
    }
    #expect(outcomes == [true, false])
  }
}
