/// How long a response asks to wait: the header `Retry-After`, in seconds or as a date.
///
/// Source: RFC 9110, section 10.2.3.
enum RetryAfter {
  /// How long the response asks to wait, in milliseconds; nil where it does not say so, or in no known form.
  ///
  /// A date counts from the response's own `Date`, so that a device's wrong clock neither hurries nor waits; without
  /// one, from the wall clock.
  static func milliseconds(in response: HTTPResponse, wallMilliseconds: Int64) -> Int64? {
    guard let text = response.header("Retry-After") else { return nil }
    if let seconds = seconds(text) { return milliseconds(seconds: seconds) }
    let now = response.header("Date").flatMap { HTTPDate.milliseconds($0, near: wallMilliseconds) }
    let begin = now ?? wallMilliseconds
    return HTTPDate.milliseconds(text, near: begin).map { max(0, $0 - begin) }
  }

  /// Seconds as milliseconds, and the largest number where there are too many.
  static func milliseconds(seconds: Int64) -> Int64 {
    let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
    return isTooLarge ? (seconds < 0 ? 0 : .max) : max(0, milliseconds)
  }

  /// Digits alone; the largest number where there are too many.
  private static func seconds(_ text: String) -> Int64? {
    let digits = text.utf8.drop { $0 == UInt8(ascii: " ") }
    guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
      return nil
    }
    return Int64(text.drop { $0 == " " }) ?? .max
  }
}
