/// What the command line asks for.
struct LoadOptions {
  /// How many rows the server has.
  var rows = 100_000
  /// How many rows a page is asked to have.
  var pageLimit = 500
  /// Whether the server gave the rows ids of its own, instead of UUIDs that devices made.
  var hasServerIDs = false
  /// Whether the same pages go into a table of SQLite alone, to compare with.
  var comparesWithSQLite = true
  /// Whether the process ends with code 1 also where the rate falls, not only where rows are missing.
  var isChecked = false

  static let usage = "usage: FirstLoad [--rows N] [--page N] [--server-ids] [--alone] [--check] [--smoke]"

  /// Reads the arguments; nil where they are not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--rows":
        guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 10 else { return nil }
        rows = number
      case "--page":
        guard let number = rest.popFirst().flatMap({ Int($0) }), 1...500 ~= number else { return nil }
        pageLimit = number
      case "--server-ids": hasServerIDs = true
      case "--alone": comparesWithSQLite = false
      case "--check": isChecked = true
      case "--smoke":
        rows = 1_000
        pageLimit = 50
      default: return nil
      }
    }
  }
}
