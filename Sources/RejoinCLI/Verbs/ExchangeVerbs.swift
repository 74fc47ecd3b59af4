import RejoinCore
import RejoinOutbox

extension Verb {
  /// The verb `rejoin push`.
  static let push = exchange("push", .push, "Sends a plain server what was written here; fetches nothing.")

  /// The verb `rejoin pull`.
  static let pull = exchange("pull", .pull, "Fetches what is new on a plain server; sends nothing.")

  /// The verb `rejoin cycle`.
  static let cycle = exchange(
    "cycle", .both, "Exchanges with a plain server: sends what was written here, then fetches what is new.")

  private static func exchange(_ name: String, _ direction: SyncCycle.Direction, _ abstract: String) -> Verb {
    Verb(
      name: name, syntax: Syntax("FILE", options: ServerOptions.connection + ServerOptions.scope),
      abstract: abstract, keys: Exchange.keys
    ) { arguments in
      try await Exchange.run(arguments, direction).told
    }
  }
}
