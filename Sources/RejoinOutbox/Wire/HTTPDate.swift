import RejoinCore

/// Points in time as HTTP writes them, always UTC and without fractions.
///
/// | form | example |
/// |---|---|
/// | today's | `Sun, 06 Nov 1994 08:49:37 GMT` |
/// | RFC 850 | `Sunday, 06-Nov-94 08:49:37 GMT` |
/// | asctime | `Sun Nov  6 08:49:37 1994` |
///
/// Source: RFC 9110, section 5.6.7, which asks of recipients to understand all three.
enum HTTPDate {
  /// Milliseconds since the Unix epoch; nil for any other text.
  ///
  /// The name of the day is not compared with the date. A year of two digits lies at most 50 years after the present.
  static func milliseconds(_ text: String, near wallMilliseconds: Int64) -> Int64? {
    let parts = text.split(separator: " ").map(String.init)
    switch parts.count {
    case 6 where isDay(parts[0], days.map { "\($0.prefix(3))," }) && parts[5] == "GMT":
      return milliseconds(parts[3], parts[2], parts[1], parts[4])
    case 4 where isDay(parts[0], days.map { "\($0)," }) && parts[3] == "GMT":
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard date.count == 3, date[2].utf8.count == 2, let year = UInt8(date[2]), !date[2].hasPrefix("+")
      else { return nil }
      return milliseconds(full(Int64(year), near: wallMilliseconds), date[1], date[0], parts[2])
    case 5 where isDay(parts[0], days.map { String($0.prefix(3)) }):
      let day = parts[2].utf8.count == 1 ? "0\(parts[2])" : parts[2]
      return milliseconds(parts[4], parts[1], day, parts[3])
    default: return nil
    }
  }

  private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func isDay(_ text: String, _ names: [String]) -> Bool { names.contains(text) }

  /// The parts in the one form of which everything is checked.
  private static func milliseconds(_ year: String, _ month: String, _ day: String, _ time: String) -> Int64? {
    guard let number = months.firstIndex(of: month), time.utf8.count == 8 else { return nil }
    let month = number < 9 ? "0\(number + 1)" : "\(number + 1)"
    // A leap second counts as the one before it.
    let time = time.hasSuffix(":60") ? "\(time.dropLast(2))59" : time
    return ISO8601.milliseconds("\(year)-\(month)-\(day)T\(time)Z")
  }

  /// The latest year with these two last digits that lies at most 50 years ahead.
  private static func full(_ year: Int64, near wallMilliseconds: Int64) -> String {
    let now = ISO8601.text(wallMilliseconds).flatMap { Int64($0.prefix(4)) } ?? 1_970
    let latest = now + 50
    return "\(latest - (latest - year) % 100)"
  }
}
