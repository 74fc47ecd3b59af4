/// The colours of a picture, each to be told apart from the ground by anybody: a contrast of 4.5 at least for all that
/// is more than decoration.
struct Palette: Hashable, Sendable {
  var ground: String
  /// Words.
  var ink: String
  /// Words that matter less.
  var muted: String
  /// The lanes.
  var lane: String
  /// What users do.
  var operation: String
  /// What replicas send each other.
  var message: String
  /// What goes wrong in the world.
  var fault: String
  /// What goes wrong in the type under test.
  var failure: String
  /// Behind notes.
  var note: String
  /// Behind what went wrong.
  var alarm: String

  static let light = Palette(
    ground: "#ffffff", ink: "#1b1f24", muted: "#57606a", lane: "#808993", operation: "#0550ae",
    message: "#0b6b74", fault: "#a04100", failure: "#b3123c", note: "#f0f3f6", alarm: "#fdeef1")

  static let dark = Palette(
    ground: "#0d1117", ink: "#e6edf3", muted: "#a3adb8", lane: "#6b7580", operation: "#79c0ff",
    message: "#5ad1da", fault: "#ffa657", failure: "#ff8095", note: "#1b222b", alarm: "#33161d")

  /// The rules of a style sheet, for the classes of ``TraceLayout/svg``, all below one class of their own.
  var rules: String {
    let rules = [
      ("text", "fill:\(ink)"), ("text.quiet", "fill:\(muted)"), ("text.failed", "fill:\(failure)"),
      (".lane", "stroke:\(lane)"), (".hair", "stroke:\(note)"), (".edge", "fill:\(failure)"),
      (".operation", "stroke:\(operation);fill:\(operation)"),
      (".message", "stroke:\(message);fill:\(message)"), (".fault", "stroke:\(fault);fill:\(fault)"),
      (".failure", "stroke:\(failure);fill:\(failure)"), (".plain", "stroke:\(muted);fill:\(muted)"),
      (".ground", "fill:\(ground)"), (".note", "fill:\(note)"), (".alarm", "fill:\(alarm)"),
      (".frame", "fill:\(note);stroke:\(lane)"), (".verdict", "fill:\(alarm);stroke:\(failure)"),
      (".hollow", "fill:\(ground)"), (".open", "fill:none"), (".inverse", "stroke:\(ground)"),
    ]
    return rules.map { ".rejoin-trace \($0){\($1)}" }.joined()
  }
}
