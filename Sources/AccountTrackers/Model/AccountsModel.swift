public import Observation
import Rejoin
public import RejoinOutbox

/// What a screen of accounts shows and does.
///
/// Everything that it shows is observable. ``run(ticks:)`` keeps it up to date; without that it changes only where it is
/// told to.
@MainActor @Observable
public final class AccountsModel {
  /// One exchange with the server, such as `driver.exchange()` of an `OutboxDriver`.
  public typealias Exchange = @Sendable () async throws -> CycleReport

  /// The accounts and trackers.
  @ObservationIgnored public let book: AccountBook

  /// What the status line says.
  public internal(set) var summary: SyncSummary

  /// What last went wrong, in plain words; nil once an action has succeeded.
  public internal(set) var lastError: String?

  /// Which deleted accounts are shown; another choice shows it at once.
  ///
  /// While deleted ones are on the screen, each change reads everything, and what a peer writes beneath a deletion shows
  /// with the next change that is seen.
  public var deletionsShown = DeletionsShown.none {
    didSet { if deletionsShown != oldValue { reload() } }
  }

  var list = AccountList()
  var exchangesUnderWay = 0 {
    didSet { summary.isExchanging = exchangesUnderWay > 0 }
  }
  @ObservationIgnored let exchangeOnce: Exchange?
  @ObservationIgnored private let explain: (any Error) -> String?
  @ObservationIgnored var summaryIsDueAt = UnixTime(milliseconds: .min)

  /// Shows what the replica holds.
  ///
  /// - Parameters:
  ///   - book: the accounts; with an outbox, where there is a server.
  ///   - exchange: exchanges with the server, one at a time; nil where there is none.
  ///   - explain: says what this module does not know, such as an error of the store or of `exchange`, in words; nil
  ///     where it does not either.
  public init(
    _ book: AccountBook, exchange: Exchange? = nil, explain: @escaping (any Error) -> String? = { _ in nil }
  ) {
    self.book = book
    exchangeOnce = exchange
    self.explain = explain
    summary = SyncSummary(hasServer: book.outbox != nil)
    reload()
  }

  /// The accounts with their trackers, in order.
  public var accounts: [AccountView] { list.views }

  /// What a status line says, such as "3 changes waiting".
  public var statusLine: String { summary.text }

  /// Whether an exchange with the server is under way.
  public var isExchanging: Bool { summary.isExchanging }

  /// Lets go of the last error, once it was read.
  public func dismissError() {
    lastError = nil
  }

  /// Runs what may fail, and keeps in plain words what went wrong.
  @discardableResult
  func attempt(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      lastError = words(for: error)
      return false
    }
  }

  /// An error in plain words; of errors that are not the library's only the type, since they may hold anything.
  func words(for error: any Error) -> String {
    switch error {
    case let error as AccountError: error.description
    case let error as ReplicaError: error.description
    case let error as OutboxError: error.description
    default: explain(error) ?? "Something went wrong (\(type(of: error))); try again."
    }
  }
}
