@testable import AccountTrackers
import Rejoin
import RejoinCore
import RejoinOutbox
import Testing
import TestSupport

/// Whatever happens in whatever order, the model shows what a fresh reading would.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ModelHistoryTests {
  private static let emails = ["a", "A", "b", " b", "c"]

  @Test(arguments: StoreKind.allCases, [UInt64](0..<6))
  func `after each step the model is as a fresh reading`(kind: StoreKind, seed: UInt64) async throws {
    try await withStores(kind) { stores in
      var generator = SplitMix64(seed: seed)
      let (own, peer) = (try stores.book("own"), try stores.book("peer"))
      let server = SharedServer(own.outbox)
      let model = AccountsModel(own) { try server.exchange() }
      model.deletionsShown = DeletionsShown.allCases[Int(seed % 3)]
      for step in 0..<40 {
        let change = generator.next()
        if change % 10 == 0 {
          let told = try await own.replica.told { _ = try server.exchange() }
          for change in told { model.take(change) }
          await model.exchange()
        } else {
          let told = try await own.replica.told {
            if change % 10 == 1 {
              try own.replica.sync(with: peer.replica)
            } else {
              try act(on: change % 10 < 5 ? peer : own, &generator)
            }
          }
          for change in told { model.take(change) }
          // Nobody is told of what changes beneath a deletion.
          if model.deletionsShown != .none, told.isEmpty { model.reload() }
        }
        stores.clock.advance(milliseconds: Int64(generator.next() % 100_000_000))
        model.tick()
        let fresh = try own.accounts(deleted: model.deletionsShown)
        try #require(model.accounts == fresh, "seed \(seed), step \(step)")
        #expect(model.summary.waiting == (try own.outbox?.status().waiting))
      }
      #expect(model.lastError == nil)
    }
  }

  /// Does something that may be done.
  private func act(on book: AccountBook, _ generator: inout SplitMix64) throws {
    let views = try book.accounts(deleted: .all)
    let choice = generator.next() % 8
    guard let view = views.randomElement(using: &generator), choice > 1 else {
      let email = Self.emails.randomElement(using: &generator) ?? ""
      let providers = [Provider("groq", cooldownDays: 1), Provider("openai", cooldownDays: 3)]
      try book.addAccount(email: email, providers: providers)
      return
    }
    guard !view.offline.tombstoned else { return try book.restoreAccount(view.id) }
    let trackers = view.trackers.filter { !$0.offline.tombstoned }
    let tracker = trackers.randomElement(using: &generator)?.id
    switch choice {
    case 2:
      let email = Self.emails.randomElement(using: &generator) ?? ""
      try book.editAccount(view.id) { $0.email = email }
    case 3: try book.deleteAccount(view.id)
    case 4: if let tracker { try book.replica.delete(Tracker.self, tracker) }
    case 5:
      let other = views.filter { !$0.offline.tombstoned }.randomElement(using: &generator)
      if let tracker, let other { try book.replica.update(Tracker.self, tracker) { $0.account = other.id } }
    case 6: if let tracker { try book.clear(tracker) }
    default: if let tracker { try book.startCooldown(tracker) }
    }
  }
}
