public import RejoinCore

/// How one kind of server is spoken to: requests out of entries, answers out of responses.
///
/// A dialect decides nothing and keeps nothing. One for an own server needs ``push(_:_:)``, ``answers(to:in:)`` and, where
/// the server shows what is new, ``pull(from:_:)`` and ``page(in:from:)``; everything else has a default.
///
/// Source: documents 000 to 004.
public protocol Dialect: Sendable {
  /// What the server asks of an outbox, such as one entry for each request.
  var rules: DialectRules { get }

  /// Whether an entry may travel in one request with others, which already share it; there is one of them at least.
  func joins(_ entry: OutboxEntry, _ others: [OutboxEntry]) -> Bool

  /// The request that sends entries; at least one.
  func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest

  /// The answers to the entries of a request, one each in their order; nil for an entry of which nothing is said.
  ///
  /// - Throws: ``ForeignAnswer`` when the response does not have the protocol's shape.
  func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?]

  /// The request for the page that begins at a cursor, which is nil for the first; nil where the server shows nothing.
  func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest?

  /// The page in a response to the request for the page that begins at a cursor.
  ///
  /// - Throws: ``ForeignAnswer`` when the response does not have the protocol's shape.
  func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage

  /// Whether a response to a pull says that the server does not know the cursor.
  func saysUnknownCursor(_ response: HTTPResponse) -> Bool

  /// A cursor that begins so many milliseconds earlier, so that rows which were committed late are seen; nil where
  /// cursors are opaque, and looking back is the server's part.
  func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String?

  /// A change that waits, in the words that the dialect has for it; for whoever shows or exports the queue.
  func item(of change: QueuedChange) -> JSON
}

extension Dialect {
  /// Document 004's rules unless a dialect says otherwise.
  public var rules: DialectRules { DialectRules() }

  /// Any entries share a request unless a dialect says otherwise.
  public func joins(_ entry: OutboxEntry, _ others: [OutboxEntry]) -> Bool { true }

  /// Nothing is pulled unless a dialect says otherwise.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? { nil }

  /// Nothing is a page unless a dialect says otherwise.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    throw ForeignAnswer()
  }

  /// A refusal is one of the cursor where it names a cursor.
  public func saysUnknownCursor(_ response: HTTPResponse) -> Bool {
    guard [400, 404, 410, 422].contains(response.status), let json = response.json else { return false }
    return [json["error"], json["code"], json["reason"]].contains {
      $0?.wireText?.contains("cursor") ?? false
    }
  }

  /// Cursors are opaque unless a dialect says otherwise.
  public func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String? { nil }

  /// Document 004's form unless a dialect says otherwise.
  public func item(of change: QueuedChange) -> JSON { change.json }
}

/// A response without the protocol's shape: no verdict, whatever its status.
public struct ForeignAnswer: Error, Hashable, Sendable {
  /// Says only that.
  public init() {}
}
