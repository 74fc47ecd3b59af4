package import RejoinCore

/// How much went one way, page by page.
public struct PageCounts: Hashable, Sendable {
  /// How many pages.
  public private(set) var pages = 0
  /// How many registers they held.
  public private(set) var registers = 0
  /// How many log entries they held, those of the library's own logs included.
  public private(set) var entries = 0

  /// Nothing went.
  public init() {}

  /// Counts a page.
  package mutating func note(_ page: Delta) {
    pages += 1
    registers += page.registerCount
    entries += page.entryCount
  }
}
