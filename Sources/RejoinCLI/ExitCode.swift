/// How the process ends; scripts rely on the numbers.
enum ExitCode: Int32 {
  /// Everything was done.
  case done = 0
  /// The replica refused, two replicas did not converge, an inspection found something, or something needs a person.
  case refused = 1
  /// The command was not understood.
  case usage = 2
  /// A file is missing, could not be read or written, or is not what it should be.
  case storage = 3
  /// A peer or a server failed.
  case peer = 4

  /// The code's name in JSON.
  var name: String {
    switch self {
    case .done: "done"
    case .refused: "refused"
    case .usage: "usage"
    case .storage: "storage"
    case .peer: "peer"
    }
  }

  /// What the codes mean, a line for each, for the help.
  static let explanation = """
    Exit codes: 0 done; 1 refused, not converged, or not all sent; 2 wrong usage; 3 storage; 4 peer or server.
    """
}
