import AccountTrackers
import Rejoin
import Testing
import TestSupport

/// Two accounts with one e-mail address are two accounts, and are marked.
struct DoublesTests {
  @Test(arguments: StoreKind.allCases)
  func `two accounts made on two devices stay two, and both are marked`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (phone, laptop) = (try stores.book("phone"), try stores.book("laptop"))
      let (first, _) = try phone.addAda()
      let (second, _) = try laptop.addAda()
      try phone.addAda("grace@example.com")
      #expect(try phone.accounts().allSatisfy { !$0.isPossibleDouble })
      try phone.replica.sync(with: laptop.replica)
      for book in [phone, laptop] {
        let views = try book.accounts()
        #expect(Set(views.filter(\.isPossibleDouble).map(\.id)) == [first, second])
        #expect(views.map(\.trackers.count) == [2, 2, 2])
        #expect(views.map(\.account.email) == ["ada@example.com", "ada@example.com", "grace@example.com"])
        #expect(
          try book.replica.all(Account.self, where: .equals("email", .string("ada@example.com"))).count == 2)
      }
      #expect(try phone.accounts().map(\.id) == laptop.accounts().map(\.id))
      try laptop.deleteAccount(first)
      #expect(try laptop.accounts().allSatisfy { !$0.isPossibleDouble })
      #expect(try laptop.accounts(deleted: .all).allSatisfy { !$0.isPossibleDouble })
    }
  }

  @Test(arguments: [
    ("ada@example.com", true), ("Ada@Example.com", true), (" ada@example.com\n", true),
    ("ada@example.org", false), ("ada @example.com", false),
  ])
  func `letter case and blanks around an address make no difference`(email: String, isDouble: Bool) throws {
    try withStores(.memory) { stores in
      let book = try stores.book(hasServer: false)
      try book.addAccount(email: "ada@example.com")
      try book.addAccount(email: email)
      #expect(try book.accounts().map(\.isPossibleDouble) == [isDouble, isDouble])
      #expect(try book.accounts().contains { $0.account.email == email })
    }
  }
}
