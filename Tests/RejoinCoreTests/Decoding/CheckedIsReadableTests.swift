import RejoinCore
import TestSupport
import Testing

/// Checking bytes without building anything accepts and refuses exactly what reading them does.
struct CheckedIsReadableTests {
  /// Whether both agree about a value, down to the error.
  private func agree(_ bytes: [UInt8]) -> Bool {
    var checked: CodingError?
    var read: CodingError?
    do throws(CodingError) { try Value.validate(bytes, in: 0..<bytes.count) } catch { checked = error }
    do throws(CodingError) { _ = try Value(canonicalBytes: bytes) } catch { read = error }
    return checked == read
  }

  @Test(arguments: Seeds.chunks(count: 500, size: 100))
  func `values that are damaged anyhow are checked as they are read`(chunk: Seeds.Chunk) {
    for seed in chunk.seeds {
      var values = RandomValues(seed: seed)
      let bytes = values.value().canonicalBytes
      for index in bytes.indices {
        for change: UInt8 in [1, 0x80, 0xff, UInt8.random(in: 1...255, using: &values)] {
          var damaged = bytes
          damaged[index] ^= change
          #expect(agree(damaged), "\(Seeds.replay(seed, suite: "CheckedIsReadableTests"))")
        }
        #expect(agree(Array(bytes[..<index])), "\(Seeds.replay(seed, suite: "CheckedIsReadableTests"))")
      }
    }
  }

  @Test func `whatever its bytes are, a short value is checked as it is read`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        for rest: [UInt8] in [[], [0], [0x40, 0x40], [1, 0x61, 0, 1, 0x61, 0], [1, 0xc3, 0]] {
          guard !agree([first, second] + rest) else { continue }
          Issue.record("\([first, second] + rest)")
        }
      }
    }
  }
}
