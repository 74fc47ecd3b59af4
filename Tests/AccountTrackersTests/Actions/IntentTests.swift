import AccountTrackers
import Rejoin
import RejoinOutbox
import Testing
import TestSupport

/// What the outbox sends of the actions.
struct IntentTests {
  @Test(arguments: StoreKind.allCases)
  func `the label of an action is the intent of its entries`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      var server = HandServer()
      func intents() throws -> [[JSON?]] {
        server.pushed = []
        _ = try server.exchange(book.outbox)
        return server.pushed.map { [$0["entity"], $0["op"], $0["intent"]] }
      }
      let (account, trackers) = try book.addAda()
      #expect(
        try Set(intents()) == [
          ["accounts", "insert", "addAccount"], ["trackers", "insert", "addAccount"],
          ["activity", "insert", "addAccount"],
        ])
      #expect(server.pushed.count == 4)
      let ofTrackers: [(AccountAction, () throws -> Void)] = [
        (.startCooldown, { try book.startCooldown(trackers[0]) }),
        (
          .editCooldown,
          { try book.editCooldown(trackers[0], hit: UnixTime(milliseconds: 1_699_999_000_000)) }
        ),
        (.restart, { try book.restart(trackers[0]) }),
        (.clear, { try book.clear(trackers[0]) }),
      ]
      for (action, act) in ofTrackers {
        try act()
        let intent = JSON.string(action.rawValue)
        #expect(
          try Set(intents()) == [["trackers", "update", intent], ["activity", "insert", intent]], "\(action)")
      }
      let ofAccounts: [(AccountAction, JSON, () throws -> Void)] = [
        (.editAccount, "update", { try book.editAccount(account) { $0.nickname = "Work" } }),
        (.deleteAccount, "delete", { try book.deleteAccount(account) }),
        (.restoreAccount, "insert", { try book.restoreAccount(account) }),
      ]
      for (action, operation, act) in ofAccounts {
        try act()
        let intent = JSON.string(action.rawValue)
        #expect(
          try Set(intents()) == [["accounts", operation, intent], ["activity", "insert", intent]], "\(action)"
        )
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a request holds what was done, in the plain form`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, trackers) = try book.addAda()
      var server = HandServer()
      _ = try server.exchange(book.outbox)
      server.pushed = []
      try book.startCooldown(trackers[0])
      try book.replica.insert(["text": "not sent"], id: book.replica.newID(), in: "drafts")
      _ = try server.exchange(book.outbox)
      let update = try #require(server.pushed.first { $0["entity"] == "trackers" })
      #expect(update["entity_id"] == .string(trackers[0].description))
      #expect(update["payload"] == ["lastLimitHitAt": .int(FixtureEnvironment.start)])
      let entry = try #require(server.pushed.first { $0["entity"] == "activity" })
      #expect(entry["payload"]?["action"] == "startCooldown")
      #expect(entry["payload"]?["account"] == .string(account.description))
      #expect(entry["payload"]?["tracker"] == .string(trackers[0].description))
      #expect(entry["payload"]?["hitAt"] == .int(FixtureEnvironment.start))
      #expect(server.pushed.count == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `rows of the server come in with their kinds`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      var cycle = try #require(book.outbox).cycle()
      let request = try #require(try cycle.next())
      #expect(request.method == "GET")
      let account = "01850f0a-b427-73a3-82eb-1e1fb016c7fe"
      let page: JSON = [
        "changes": .array([
          [
            "entity": "accounts", "id": .string(account), "version": 3, "updated_at": 5, "deleted_at": .null,
            "fields": ["email": "ada@example.com", "createdAt": "2026-11-30T08:00:00.000Z", "updatedAt": 7],
          ],
          [
            "entity": "trackers", "id": "01850f0a-b427-73a3-82eb-1e1fb016c7ff", "version": 3, "updated_at": 5,
            "deleted_at": .null,
            "fields": [
              "accountId": .string(account), "providerSlug": "groq", "cooldownDays": 2,
              "lastLimitHitAt": .int(FixtureEnvironment.start),
            ],
          ],
        ]), "cursor": "a", "has_more": false,
      ]
      try cycle.receive(HTTPResponse(status: 200, body: page.bytes()))
      let view = try #require(try book.accounts().first)
      #expect(view.account.createdAt.milliseconds == 1_796_025_600_000)
      #expect(view.trackers.map(\.remainingSeconds) == [172_800])
      #expect(!view.offline.dirty && view.trackers.allSatisfy { !$0.offline.dirty })
    }
  }
}
