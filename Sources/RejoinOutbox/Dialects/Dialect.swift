/// How one kind of server is spoken to: requests out of entries, answers out of responses.
///
/// A dialect decides nothing and keeps nothing. Source: documents 000 to 004.
public protocol Dialect: Sendable {
  /// The request that sends entries; at least one.
  func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest

  /// The answers to the entries of a request, one each in their order; nil for an entry of which nothing is said.
  ///
  /// - Throws: ``ForeignAnswer`` when the response does not have the protocol's shape.
  func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?]

  /// The request for the page that begins at a cursor; nil for the first.
  func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest

  /// The page in a response.
  ///
  /// - Throws: ``ForeignAnswer`` when the response does not have the protocol's shape.
  func page(in response: HTTPResponse) throws(ForeignAnswer) -> PullPage

  /// Whether a response to a pull says that the server does not know the cursor.
  func saysUnknownCursor(_ response: HTTPResponse) -> Bool

  /// A cursor that begins so many milliseconds earlier, so that rows which were committed late are seen; nil where
  /// cursors are opaque, and looking back is the server's part.
  func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String?
}

extension Dialect {
  /// Cursors are opaque unless a dialect says otherwise.
  public func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String? { nil }
}

/// A response without the protocol's shape: no verdict, whatever its status.
public struct ForeignAnswer: Error, Hashable, Sendable {
  /// Says only that.
  public init() {}
}
