import RejoinCore
import Foundation
import Testing

/// Times are written and read as the documents write them.
struct ISO8601Tests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0), ("1969-12-31T23:59:59.999Z", -1),
      ("2000-02-29T00:00:00.000Z", 951_782_400_000), ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)])
  func `known times read and write alike`(text: String, milliseconds: Int64) {
    #expect(ISO8601.milliseconds(text) == milliseconds)
    #expect(ISO8601.text(milliseconds) == text)
  }

  @Test func `every day of four centuries comes back, as Foundation counts it`() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    for day in stride(from: Int64(-141_000), through: 141_000, by: 97) {
      let milliseconds = day * 86_400_000 + 12_345_678
      let text = try #require(ISO8601.text(milliseconds))
      #expect(ISO8601.milliseconds(text) == milliseconds)
      #expect(formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1_000)) == text)
    }
  }

  @Test func `fractions of any length count to the millisecond`() {
    #expect(ISO8601.milliseconds("1970-01-01T00:00:01Z") == 1_000)
    #expect(ISO8601.milliseconds("1970-01-01T00:00:00.5Z") == 500)
    #expect(ISO8601.milliseconds("1970-01-01T00:00:00.123456Z") == 123)
  }

  @Test(arguments: [
    "", "2026", "2026-11-30", "2026-11-30T08:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
    "2026-11-30T24:00:00Z", "2026-11-30T08:60:00Z", "2026-11-30T08:00:00.Z", "2026-11-30T08:00:00+01:00",
    "2026-11-30 08:00:00Z", "+026-11-30T08:00:00Z", "0000-01-01T00:00:00Z", "2026-11-30T08:00:00.1234567890Z",
  ])
  func `anything else is refused`(text: String) {
    #expect(ISO8601.milliseconds(text) == nil)
  }

  @Test(arguments: [Int64.min, Int64.max, -62_135_596_800_001, 253_402_300_800_000])
  func `times beyond the calendar have no text`(milliseconds: Int64) {
    #expect(ISO8601.text(milliseconds) == nil)
  }
}
