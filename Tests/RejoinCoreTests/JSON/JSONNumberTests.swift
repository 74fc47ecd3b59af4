import RejoinCore
import Testing

struct JSONNumberTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("9007199254740991", (1 << 53) - 1), ("9007199254740993", (1 << 53) + 1),
      ("-9007199254740993", -(1 << 53) - 1),
    ] as [(String, Int64)])
  func `whole numbers are exact over all 64 bits`(text: String, expected: Int64) throws {
    #expect(try JSON(parsing: text) == .int(expected))
  }

  @Test(
    arguments: [
      ("1.0", 1), ("-1.000", -1), ("1e3", 1_000), ("1E+3", 1_000), ("1200e-2", 12), ("0.0", 0), ("0e9", 0),
      ("9007199254740992.0", 1 << 53), ("-9.007199254740992e15", -(1 << 53)), ("0.5e1", 5), ("1e-400", 0),
    ] as [(String, Int64)])
  func `a number of whole value is whole, as peers with doubles only would write it`(
    text: String, expected: Int64
  ) throws {
    #expect(try JSON(parsing: text) == .int(expected))
  }

  @Test(
    arguments: [
      ("0.1", 0.1), ("-0.0", -0.0), ("-0e0", -0.0), ("5e-324", .leastNonzeroMagnitude), ("1.5", 1.5),
      ("1e20", 1e20),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("2.2250738585072014e-308", .leastNormalMagnitude),
      ("9007199254740994.0", 9_007_199_254_740_994), ("1e22", 1e22), ("1e23", 1e23),
      ("123456789012345678e-20", 1.2345678901234568e-3),
      ("0.1000000000000000055511151231257827021181583404541015625", 0.1), ("-1e-400", -0.0),
      ("9223372036854775808.0", 9_223_372_036_854_775_808), ("3.0000000000000001e-5", 3e-5),
    ] as [(String, Double)])
  func `other numbers are the nearest double`(text: String, expected: Double) throws {
    #expect(try JSON(parsing: text) == .double(expected))
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "99999999999999999999999999", "1e309", "-1e309",
    "1.7976931348623159e308", "1e99999999999999999999999999",
  ])
  func `numbers out of range are refused`(text: String) {
    #expect(problem(reading: text) == .numberOutOfRange)
  }

  @Test(arguments: ["01", "-01", "00", "1.x", "1.e3", "1ex", "1e+x", "-x", "1.-", "-+1"])
  func `numbers that JSON does not know are refused`(text: String) {
    #expect(problem(reading: text) == .malformedNumber)
  }

  @Test func `exponents and fractions of any length are read`() throws {
    let zeros = String(repeating: "0", count: 2_000)
    #expect(try JSON(parsing: "0.\(zeros)15e2001") == 1.5)
    #expect(try JSON(parsing: "15\(zeros)e-2001") == 1.5)
    #expect(try JSON(parsing: "1e-99999999999999999999999999") == 0)
    #expect(try JSON(parsing: "1e00000000000000000000000000003") == 1_000)
  }

  @Test func `every double with a fraction comes back bit for bit`() throws {
    var generator = RandomValues(seed: 1)
    for _ in 0..<20_000 {
      let number = Double(bitPattern: generator.next())
      guard number.isFinite, number != number.rounded() else { continue }
      #expect(try JSON(parsing: JSON.double(number).text()) == .double(number))
    }
    for _ in 0..<20_000 {
      let number = Double(Int.random(in: -99_999_999...99_999_999, using: &generator)) / 10_000
      guard number != number.rounded() else { continue }
      #expect(try JSON(parsing: JSON.double(number).text()) == .double(number))
    }
  }
}
