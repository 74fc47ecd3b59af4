extension Trace {
  /// The history as a picture: one SVG document that needs nothing else.
  ///
  /// A space-time diagram: replicas are vertical lines, time goes downwards, a step a row. It suits light and dark
  /// backgrounds, and telephones.
  public var svg: String {
    picture(heading: violation.map { "Broken: \($0.oracle.rawValue)" } ?? "A history", footnote: nil)
  }

  func picture(heading: String, footnote: String?) -> String {
    let result = violation.map { "\($0)" } ?? "no promise was broken"
    return TraceLayout(self, heading: heading, footnote: footnote)
      .svg(title: heading, description: "\(text)\n\(result)")
  }
}

extension Counterexample {
  /// The history as a picture: one SVG document that needs nothing else; see ``Trace/svg``.
  public var picture: String {
    trace.picture(
      heading: "\(typeName) breaks a promise: \(violation.oracle.rawValue)",
      footnote: "replay: \(replayString)")
  }
}
