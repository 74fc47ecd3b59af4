/// Points in time as the documents write them: `2026-11-30T08:00:00.000Z`, always UTC.
package enum ISO8601 {
  /// Milliseconds since the Unix epoch; nil for anything but a date and time of the years 0001 to 9999 that ends
  /// in Z, with up to nine digits of a second, of which three count.
  package static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    let marks = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ [bytes[$0.0]] == Array($0.1.utf8) }),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), let fraction = fraction(bytes[19..<bytes.count - 1]),
      1...9_999 ~= year, 1...12 ~= month, 1...days(in: month, of: year) ~= day, hour < 24, minute < 60,
      second < 60
    else { return nil }
    let days =
      daysBefore(year: year) + (1..<month).reduce(0) { $0 + ISO8601.days(in: $1, of: year) } + day - 1
    let seconds = (days - epochDays) * 86_400 + hour * 3_600 + minute * 60 + second
    return seconds * 1_000 + fraction
  }

  /// The text of a time of the years 0001 to 9999; nil for others.
  package static func text(_ milliseconds: Int64) -> String? {
    let (days, rest) = quotient(milliseconds, 86_400_000)
    let day = days + epochDays
    guard day >= 0, day < daysBefore(year: 10_000) else { return nil }
    var year = day / 366 + 1
    while daysBefore(year: year + 1) <= day { year += 1 }
    var dayOfYear = day - daysBefore(year: year)
    var month: Int64 = 1
    while dayOfYear >= ISO8601.days(in: month, of: year) {
      dayOfYear -= ISO8601.days(in: month, of: year)
      month += 1
    }
    let date = [padded(year, 4), padded(month, 2), padded(dayOfYear + 1, 2)].joined(separator: "-")
    let seconds = rest / 1_000
    let time = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(date)T\(time).\(padded(rest % 1_000, 3))Z"
  }

  /// Days from the first of January 0001 to the first of January 1970.
  private static let epochDays = daysBefore(year: 1_970)

  /// Days from the first of January 0001 to that of `year`, by the Gregorian rule.
  private static func daysBefore(year: Int64) -> Int64 {
    let past = year - 1
    return past * 365 + past / 4 - past / 100 + past / 400
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard let point = bytes.first else { return 0 }
    let digits = bytes.dropFirst()
    guard point == UInt8(ascii: "."), 1...9 ~= digits.count, number(digits) != nil else { return nil }
    return number((digits + [UInt8(ascii: "0"), UInt8(ascii: "0")]).prefix(3))
  }

  /// Quotient rounded down, and remainder.
  private static func quotient(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
