import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// A record with a counter and a set.
struct Page: Record, Equatable {
  static let collection: Collection = "pages"
  var id: RecordID
  var title: String?
  var visits: Counter
  var labels: AddWinsSet<String>

  init(_ number: UInt64 = 1, title: String? = "home", visits: Counter = 0, labels: AddWinsSet<String> = []) {
    id = .numbered(number)
    (self.title, self.visits, self.labels) = (title, visits, labels)
  }
}

/// The same record as an older version of the application knows it.
struct PlainPage: Record, Equatable {
  static let collection: Collection = "pages"
  var id: RecordID = .numbered(1)
  var visits: Int = 0
  var labels: Set<String> = []
}

extension Replica {
  /// The one page.
  func page() throws -> Page? { try get(Page.self, .numbered(1)) }

  /// Edits the one page.
  func edit(_ change: (inout Page) throws -> Void) throws { try update(Page.self, .numbered(1), change) }
}

extension Stores {
  /// Replicas that all hold the one page.
  func replicas(_ names: [String] = ["phone", "laptop"], of page: Page = Page()) throws -> [Replica] {
    let replicas = try names.map { try replica($0) }
    try replicas[0].insert(page)
    for replica in replicas.dropFirst() { try replica.merge(replicas[0].delta(since: replica.version)) }
    clock.advance(milliseconds: 10)
    return replicas
  }

  /// Everybody meets everybody.
  func meet(_ replicas: [Replica]) throws {
    for _ in 0..<2 {
      for one in replicas {
        for other in replicas where other !== one { try other.merge(one.delta(since: other.version)) }
      }
    }
    for replica in replicas { try #require(replica.trace().hasSameContent(as: replicas[0].trace())) }
    clock.advance(milliseconds: 10)
  }
}
