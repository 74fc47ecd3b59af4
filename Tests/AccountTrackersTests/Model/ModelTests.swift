import AccountTrackers
import Rejoin
import RejoinTesting
import Testing
import TestSupport

/// What the model shows and does, with what follows the replica standing still.
@MainActor
struct ModelTests {
  @Test(arguments: StoreKind.allCases)
  func `it shows what the replica holds from the beginning`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      try book.addAda("grace@example.com")
      try book.addAda()
      let model = AccountsModel(book)
      #expect(model.accounts == (try book.accounts()))
      #expect(model.accounts.map(\.account.email) == ["ada@example.com", "grace@example.com"])
      #expect(model.statusLine == "8 changes waiting")
      #expect(!model.isExchanging && model.lastError == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an action that is refused says why in plain words, and the next that succeeds takes it away`(
    kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let model = AccountsModel(book)
      let id = try #require(model.addAccount(email: "a", providers: [Provider("groq", cooldownDays: 1)]))
      model.reload()
      let tracker = try #require(model.accounts.first?.trackers.first?.id)
      #expect(!model.restart(tracker))
      #expect(model.lastError == AccountError.notCooling(tracker).description)
      #expect(model.startCooldown(tracker))
      #expect(model.lastError == nil)
      #expect(model.restart(tracker) && model.editCooldown(tracker, hit: book.replica.now))
      #expect(model.clear(tracker) && model.editAccount(id) { $0.nickname = "x" })
      #expect(model.addAccount(email: "") == nil)
      #expect(model.lastError == AccountError.emptyEmail.description)
      model.dismissError()
      #expect(model.lastError == nil)
      #expect(model.deleteAccount(id) && model.restoreAccount(id))
      #expect(!model.restoreAccount(id))
      let actions = try book.activity().map(\.action)
      #expect(
        actions == [
          .addAccount, .startCooldown, .restart, .editCooldown, .clear, .editAccount, .deleteAccount,
          .restoreAccount,
        ])
    }
  }

  @Test func `an error of somebody else's is told by its type alone`() throws {
    struct Secret: Error, CustomStringConvertible { var description: String { "ada@example.com" } }
    try withStores(.memory) { stores in
      let model = AccountsModel(try stores.book())
      let id = try #require(model.addAccount(email: "a"))
      #expect(!model.editAccount(id) { _ in throw Secret() })
      #expect(model.lastError == "Something went wrong (Secret); try again.")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a write that the store refuses is told as the application explains it, and shows nowhere`(
    kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      let model = AccountsModel(try AccountBook(replica), exchange: nil) { error in
        error is InjectedFailure ? "The disk is full." : nil
      }
      probe.failCommits()
      #expect(model.addAccount(email: "ada@example.com") == nil)
      #expect(model.lastError == "The disk is full.")
      model.reload()
      #expect(try model.accounts.isEmpty && model.book.activity().isEmpty)
      #expect(model.addAccount(email: "ada@example.com") != nil)
      #expect(model.lastError == nil)
    }
  }
}
