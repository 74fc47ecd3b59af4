import RejoinCore
import RejoinOutbox

/// Why an exchange ended early.
extension Form {
  /// The key of ``stop(_:)``.
  static let stopKey = Verb.Key(
    "stopped",
    "null, or why it ended early: {reason, status}, with the reason unreachable, busy, signed_out, "
      + "upgrade_required, runs_elsewhere, waiting or foreign_answer, and the status or null; exit code 4")

  static func stop(_ reason: StopReason) -> JSON {
    let (name, status): (String, Int?) =
      switch reason {
      case .unreachable: ("unreachable", nil)
      case .busy(let status): ("busy", status)
      case .signedOut: ("signed_out", nil)
      case .upgradeRequired: ("upgrade_required", nil)
      case .runsElsewhere: ("runs_elsewhere", nil)
      case .waiting: ("waiting", nil)
      case .foreignAnswer(let status): ("foreign_answer", status)
      }
    return ["reason": .string(name), "status": status.map { .int(Int64($0)) } ?? .null]
  }

  static func explanation(of reason: StopReason) -> String {
    switch reason {
    case .unreachable:
      "The server could not be reached. Nothing is lost; check the address and the network, then try again."
    case .busy(let status):
      "The server asks to wait (status \(status)). Nothing is lost; try again later."
    case .signedOut:
      "The server wants a token, or another one. Put it into \(ServerOptions.tokenVariable) and try again."
    case .upgradeRequired:
      "The server does not serve this version of the records. Everything is kept; say the version with --schema."
    case .runsElsewhere:
      "Another process is exchanging what this file holds right now. Try again when it is done."
    case .waiting(let milliseconds):
      "The server asked to be left alone for another \((milliseconds + 999) / 1_000) s. Nothing is lost; try again then, "
        + "or now with --ignore-waits."
    case .foreignAnswer(let status):
      "What answered (status \(status)) does not speak as it should. Check the address, and whether a network's "
        + "sign-in page stands between."
    }
  }
}
