import AccountTrackers
import Rejoin
import Testing
import TestSupport

/// What cannot be done is refused with a typed error, and nothing is written.
struct RefusalTests {
  private static let nobody = RecordID(high: 1, low: 2)

  /// Expects an error, and that the replica is as it was.
  private func refused(
    _ book: AccountBook, _ error: AccountError, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) throws {
    let digest = try book.replica.digest()
    #expect(throws: error, sourceLocation: sourceLocation, performing: body)
    #expect(try book.replica.digest() == digest, sourceLocation: sourceLocation)
  }

  @Test(arguments: StoreKind.allCases)
  func `a tracker that is ready cannot be restarted`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      try refused(book, .notCooling(trackers[0])) { try book.restart(trackers[0]) }
      try book.startCooldown(trackers[0])
      // 999 ms before the end, no whole second remains.
      stores.clock.advance(milliseconds: 2 * 86_400_000 - 1_000)
      try book.restart(trackers[0])
      stores.clock.advance(milliseconds: 2 * 86_400_000 - 999)
      try refused(book, .notCooling(trackers[0])) { try book.restart(trackers[0]) }
      try book.clear(trackers[0])
      try refused(book, .notCooling(trackers[0])) { try book.restart(trackers[0]) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing is done to what is not there`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      try book.addAda()
      let id = Self.nobody
      try refused(book, .accountNotFound(id)) { try book.editAccount(id) { $0.nickname = "x" } }
      try refused(book, .accountNotFound(id)) { try book.deleteAccount(id) }
      try refused(book, .accountNotFound(id)) { try book.restoreAccount(id) }
      try refused(book, .trackerNotFound(id)) { try book.startCooldown(id) }
      try refused(book, .trackerNotFound(id)) { try book.editCooldown(id, hit: book.replica.now) }
      try refused(book, .trackerNotFound(id)) { try book.restart(id) }
      try refused(book, .trackerNotFound(id)) { try book.clear(id) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing is done to the trackers of a deleted account`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, trackers) = try book.addAda()
      try book.startCooldown(trackers[0])
      try book.deleteAccount(account)
      for id in trackers {
        let error = AccountError.trackerWithoutAccount(tracker: id, account: account)
        try refused(book, error) { try book.startCooldown(id, hit: UnixTime(milliseconds: 5)) }
        try refused(book, error) { try book.clear(id) }
        try refused(book, error) { try book.restart(id) }
      }
      try refused(book, .accountNotFound(account)) { try book.editAccount(account) { $0.nickname = "x" } }
      try refused(book, .accountNotFound(account)) { try book.deleteAccount(account) }
      try book.restoreAccount(account)
      try refused(book, .accountNotDeleted(account)) { try book.restoreAccount(account) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an account needs an address and providers with names and days, each once`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, _) = try book.addAda()
      func add(_ providers: [Provider]) throws { try book.addAccount(email: "a", providers: providers) }
      let good = Provider("groq", cooldownDays: 1)
      try refused(book, .emptyEmail) { try book.addAccount(email: " \n") }
      try refused(book, .emptyEmail) { try book.editAccount(account) { $0.email = "" } }
      try refused(book, .invalidProvider(index: 1)) { try add([good, Provider("", cooldownDays: 1)]) }
      try refused(book, .invalidProvider(index: 0)) { try add([Provider("openai", cooldownDays: 0), good]) }
      try refused(book, .invalidProvider(index: 0)) { try add([Provider("openai", cooldownDays: 36_501)]) }
      try refused(book, .repeatedProvider(index: 1)) { try add([good, Provider("groq", cooldownDays: 2)]) }
      try add([Provider("openai", cooldownDays: 36_500), good])
    }
  }

  @Test func `an error says what to do and holds no values of the user's`() {
    let errors: [AccountError] = [
      .accountNotFound(Self.nobody), .accountNotDeleted(Self.nobody), .trackerNotFound(Self.nobody),
      .trackerWithoutAccount(tracker: Self.nobody, account: Self.nobody), .notCooling(Self.nobody),
      .emptyEmail, .invalidProvider(index: 0), .repeatedProvider(index: 1),
    ]
    for error in errors {
      #expect(error.description.hasSuffix("."))
    }
    #expect("\(errors[4])".hasSuffix("so there is nothing to restart; start a cooldown."))
    #expect("\(errors[6])" == "Provider 1 needs a name, and a cooldown of 1 to 36500 days.")
  }
}
