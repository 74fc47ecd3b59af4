import RejoinCore

/// Makes the same values from the same seed.
struct RandomValues: RandomNumberGenerator {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  mutating func next() -> UInt64 { generator.next() }

  /// A value of any kind; names and numbers are drawn from where mistakes are likely.
  mutating func value(depth: Int = 0) -> Value {
    switch Int.random(in: 0..<(depth < 5 ? 12 : 9), using: &self) {
    case 0: .null
    case 1: .bool(Bool.random(using: &self))
    case 2: .int(integer())
    case 3: .double(double())
    case 4: .string(text())
    case 5: .data(bytes())
    case 6: .time(integer())
    case 7: .record(RecordID(high: next(), low: next()))
    case 8: .unknown(kind: UInt8.random(in: 0x10...0x3f, using: &self), bytes: bytes())
    case 9: .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth + 1) })
    default: .map(map(depth: depth + 1))
    }
  }

  private mutating func map(depth: Int) -> ValueMap {
    var map = ValueMap()
    for _ in 0..<Int.random(in: 0...3, using: &self) { map[name()] = value(depth: depth) }
    return map
  }

  private mutating func integer() -> Int64 {
    let edges: [Int64] = [0, 63, 64, 1 << 53, 1 << 53 + 1, -(1 << 53), -(1 << 53) - 1, .min, .max]
    return Bool.random(using: &self) ? edges.randomElement(using: &self) ?? 0 : Int64(bitPattern: next())
  }

  private mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: Double(bitPattern: next())
    case 1: Double(integer())
    case 2: Double(integer()) / 1_000
    default:
      [0, -0.0, 0.1, 1.5, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e20].randomElement(
        using: &self) ?? 0
    }
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1f}", "\u{7f}", "é", "e\u{301}", "😀", "\u{2028}", "$",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &self) { text += pieces.randomElement(using: &self) ?? "" }
    return text
  }

  private mutating func name() -> String {
    let names = [
      "$int", "$double", "$data", "$time", "$ref", "$map", "$unknown", "$new", "$", "", "a", "é", "e\u{301}",
    ]
    return Bool.random(using: &self) ? names.randomElement(using: &self) ?? "" : text()
  }

  private mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...9, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}

/// The problem with which reading `text` fails; nil when it can be read.
func problem(reading text: String) -> JSONError.Problem? {
  problem(reading: Array(text.utf8))
}

/// The problem with which reading `bytes` fails; nil when they can be read.
func problem(reading bytes: [UInt8]) -> JSONError.Problem? {
  do throws(JSONError) {
    _ = try JSON(parsing: bytes)
    return nil
  } catch {
    return error.problem
  }
}
