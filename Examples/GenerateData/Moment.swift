import RejoinCore

/// A point in time, in milliseconds since the Unix epoch, between the years 1 and 9999.
struct Moment {
  let milliseconds: Int64

  static let earliest = Moment(milliseconds: -62_135_596_800_000)
  static let latest = Moment(milliseconds: 253_402_300_799_999)

  /// Moments that code which handles time tends to get wrong.
  static let awkward = [
    earliest,
    Moment(milliseconds: -2_208_988_800_000),  // 1900-01-01, which was no leap year
    Moment(milliseconds: -1),  // the last millisecond before the epoch
    Moment(milliseconds: 0),
    Moment(milliseconds: 951_782_400_000),  // 2000-02-29, a leap day of a year divisible by 400
    Moment(milliseconds: 1_709_210_096_789),  // 2024-02-29
    Moment(milliseconds: 2_147_483_648_000),  // 2038-01-19, one second beyond 32 bits
    Moment(milliseconds: 140_737_488_355_328),  // 6429-10-17, one beyond the latest that a clock accepts
    latest,
  ]

  /// An ordinary moment of the years 2020 to 2025.
  static func ordinary(using generator: inout SplitMix64) -> Moment {
    Moment(milliseconds: generator.number(in: 1_577_836_800_000..<1_767_225_600_000))
  }

  /// This moment moved by `milliseconds`, kept between the earliest and the latest.
  func moved(by milliseconds: Int64) -> Moment {
    let moved = self.milliseconds + milliseconds
    return Moment(milliseconds: min(max(moved, Moment.earliest.milliseconds), Moment.latest.milliseconds))
  }

  /// The moment as ISO 8601 in UTC, with milliseconds.
  var text: String {
    let day: Int64 = 86_400_000
    let days = milliseconds >= 0 ? milliseconds / day : (milliseconds + 1) / day - 1
    let rest = milliseconds - days * day
    let date = Moment.date(ofDay: days)
    let hours = Moment.padded(rest / 3_600_000, to: 2)
    let minutes = Moment.padded(rest / 60_000 % 60, to: 2)
    let seconds = Moment.padded(rest / 1_000 % 60, to: 2)
    return "\(date)T\(hours):\(minutes):\(seconds).\(Moment.padded(rest % 1_000, to: 3))Z"
  }

  /// The date of a day since the Unix epoch, by the Gregorian calendar also before it was introduced.
  ///
  /// Counts in years that begin in March, so that the leap day is the last of a year.
  private static func date(ofDay day: Int64) -> String {
    let daysSinceYearZero = day + 719_468  // from 0000-03-01, positive for every moment in range
    let era = daysSinceYearZero / 146_097
    let dayOfEra = daysSinceYearZero % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(dayOfMonth, to: 2))"
  }

  private static func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
