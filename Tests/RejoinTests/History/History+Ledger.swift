import Rejoin
import RejoinCore
import TestSupport

/// The ledger against what really happened: who had seen what.
extension History {
  /// Whether the author of a write had seen another one, or made it in the same transaction before.
  private func hadSeen(_ author: Truth, _ other: Truth) -> Bool {
    other.stamp.time <= author.past[other.stamp.replica] ?? 0
      || author.stamp == other.stamp && author.field == nil && author.life > other.life
  }

  /// Every write that nobody had overwritten knowingly, and that does not show, is in the ledger, unless a deletion took
  /// it whose author had seen it; and nothing is there that gave way to somebody who knew it.
  func checkLedger(_ index: Int) throws {
    let reference = pairs[index].reference
    let known = truths.filter { $0.mayLose && reference.covers($0.stamp) }
    for truth in known where reference.ledger[truth.losing] == nil && !holds(truth, reference) {
      let isOverwritten = known.contains { other in
        other.record == truth.record && (other.field == truth.field || other.field == nil)
          && hadSeen(other, truth)
      }
      guard isOverwritten else {
        throw Failure(description: "\(truth) gave way at \(index), and the ledger does not know")
      }
    }
    for entry in try pairs[index].engine.conflicts(includingSettled: true) {
      let (winner, loser) = (Reference.Stamp(entry.winner.timestamp), Reference.Stamp(entry.loser.timestamp))
      // Whoever writes beneath a register that waits knows it, and gives way to it all the same.
      guard entry.observed != entry.loser.timestamp else { continue }
      let isOrdered = truths.contains { truth in
        truth.stamp == winner && loser.time <= truth.past[loser.replica] ?? 0
          || truth.stamp == loser && winner.time <= truth.past[winner.replica] ?? 0
      }
      if isOrdered { throw Failure(description: "the ledger of \(index) names writes that knew each other") }
    }
  }

  /// Whether a write is what its place holds, in a life that runs.
  private func holds(_ truth: Truth, _ reference: ReferenceReplica) -> Bool {
    guard let field = truth.field else { return reference.lives[truth.record]?.stamp == truth.stamp }
    let count = reference.count(truth.record)
    return count % 2 == 1 && truth.life >= count
      && reference.best(Reference.Address(record: truth.record, field: field))?.stamp == truth.stamp
  }
}

extension History.Truth {
  /// What names its entry of the ledger.
  fileprivate var losing: Reference.Loser { Reference.Loser(record: record, field: field, stamp: stamp) }

  /// The field of a register; nil for an entry of the tombstone set.
  fileprivate var field: Int? { register?.address.field }

  /// Counters and sets join without losers.
  fileprivate var mayLose: Bool { register?.address.isPlain ?? true }
}
