@testable import RejoinOutbox
import Testing

/// The header `Retry-After` and the dates that HTTP writes.
struct RetryAfterTests {
  /// 6 November 1994, 08:49:37.
  private static let moment: Int64 = 784_111_777_000

  private func wait(_ text: String, date: String? = nil, wall: Int64 = moment) -> Int64? {
    var response = HTTPResponse(status: 503)
    response.headers = [HTTPRequest.Parameter("retry-after", text)]
    if let date { response.headers.append(HTTPRequest.Parameter("Date", date)) }
    return RetryAfter.milliseconds(in: response, wallMilliseconds: wall)
  }

  @Test func `seconds are digits alone, and too many are as many as there can be`() {
    #expect(wait("0") == 0)
    #expect(wait("120") == 120_000)
    #expect(wait("9223372036854775807") == .max)
    #expect(wait("99999999999999999999999") == .max)
    for text in ["", "-1", "+1", "1.5", "1s", "٣", "1 2", "soon"] { #expect(wait(text) == nil) }
    #expect(RetryAfter.milliseconds(in: HTTPResponse(status: 503), wallMilliseconds: 0) == nil)
    #expect(RetryAfter.milliseconds(seconds: .max) == .max)
    #expect(RetryAfter.milliseconds(seconds: .min) == 0)
    #expect(RetryAfter.milliseconds(seconds: -1) == 0)
  }

  @Test func `a date counts from the server's date, and else from the device's clock`() {
    let later = "Sun, 06 Nov 1994 08:50:37 GMT"
    #expect(wait(later) == 60_000)
    #expect(wait(later, wall: Self.moment - 5_000) == 65_000)
    #expect(wait(later, date: "Sun, 06 Nov 1994 08:50:07 GMT", wall: 0) == 30_000)
    #expect(wait(later, date: "yesterday") == 60_000)
    #expect(wait("Sun, 06 Nov 1994 08:49:36 GMT") == 0, "what is over is no wait")
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `all three forms of a date are understood`(_ text: String) {
    #expect(HTTPDate.milliseconds(text, near: Self.moment) == Self.moment)
  }

  @Test(arguments: zip(1...12, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]))
  func `every month is understood, to its last day`(_ month: Int, _ days: Int) {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let name = names[month - 1]
    let first = HTTPDate.milliseconds("Mon, 01 \(name) 2026 00:00:00 GMT", near: 0)
    let last = HTTPDate.milliseconds("Mon Feb \(days) 23:59:59 2026".replacing("Feb", with: name), near: 0)
    #expect(last == first.map { $0 + Int64(days) * 86_400_000 - 1_000 })
    #expect(HTTPDate.milliseconds("Mon, \(days + 1) \(name) 2026 00:00:00 GMT", near: 0) == nil)
  }

  @Test func `two digits of a year are those of the last one that is at most 50 years ahead`() {
    // 2026-01-01.
    let now: Int64 = 1_767_225_600_000
    func year(_ digits: String) -> Int64? {
      HTTPDate.milliseconds("Sunday, 01-Jan-\(digits) 00:00:00 GMT", near: now)
    }
    func full(_ year: Int) -> Int64? {
      HTTPDate.milliseconds("Sun, 01 Jan \(year) 00:00:00 GMT", near: now)
    }
    #expect(year("76") == full(2076))
    #expect(year("77") == full(1977))
    #expect(year("26") == full(2026))
    #expect(year("00") == full(2000))
  }

  @Test(arguments: [
    "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
    "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 31 Apr 1994 08:49:37 GMT", "Sun, 29 Feb 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sunday, 06-Nov-+4 08:49:37 GMT", "Sun Nov 6 08:49:37 94", "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37.5 GMT",
  ])
  func `anything else is no date`(_ text: String) {
    #expect(HTTPDate.milliseconds(text, near: Self.moment) == nil)
  }

  @Test func `a leap second is the one before it`() {
    #expect(
      HTTPDate.milliseconds("Sat, 31 Dec 2016 23:59:60 GMT", near: 0)
        == HTTPDate.milliseconds("Sat, 31 Dec 2016 23:59:59 GMT", near: 0))
  }
}
