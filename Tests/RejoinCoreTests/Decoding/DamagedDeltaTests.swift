import Foundation
import RejoinCore
import Testing

/// Damage under a good checksum: refused, or the one form of another delta; no trap, and no more memory.
struct DamagedDeltaTests {
  /// Up to this size every byte is given every other value, beyond it some; with `REJOIN_SEEDS` set, always every.
  private static let smallDelta =
    ProcessInfo.processInfo.environment["REJOIN_SEEDS"] == nil ? 220 : Int.max

  /// Whether the bytes are read as they have to be.
  private static func holds(_ bytes: [UInt8]) -> Bool {
    var result: Result<Delta, CodingError>?
    let cost = Cost {
      do throws(CodingError) {
        result = .success(try Delta(decoding: bytes, checksChecksum: false))
      } catch {
        result = .failure(error)
      }
    }
    guard cost.milliseconds < 1_000 else { return false }
    guard cost.peakBytes <= Cost.bound(ofDecoding: bytes.count) else { return false }
    guard case .success(let delta) = result else { return true }
    return delta.encoded().dropLast(8) == bytes.dropLast(8)
  }

  @Test(arguments: GoldenDeltas.formatOne.map(\.name))
  func `every change of one byte is refused, or makes another delta in its one form`(name: String) throws {
    let bytes = try GoldenDeltas.bytes(name)
    let changes: [UInt8] =
      bytes.count <= Self.smallDelta ? Array(1...255) : [1, 2, 4, 8, 16, 32, 64, 128, 3, 127, 255]
    for index in bytes.indices.dropLast(8) {
      for change in changes {
        var damaged = bytes
        damaged[index] ^= change
        guard !Self.holds(damaged) else { continue }
        Issue.record("\(name): byte \(index) changed to \(damaged[index])")
        return
      }
    }
  }

  @Test(arguments: GoldenDeltas.formatOne.map(\.name))
  func `every truncation is refused, with the checksum or without`(name: String) throws {
    let bytes = try GoldenDeltas.bytes(name)
    for end in bytes.indices {
      #expect(throws: CodingError.self) { try Delta(decoding: Array(bytes[..<end])) }
      guard end < bytes.count - 8 else { continue }
      let cut = Array(bytes[..<end]) + [UInt8](repeating: 0, count: 8)
      #expect(throws: CodingError.self) { try Delta(decoding: cut, checksChecksum: false) }
    }
  }

  /// Puts a number in place of whatever number could stand at each byte, so in place of every length too.
  @Test(arguments: GoldenDeltas.formatOne.map(\.name), [1 << 31, 1 << 47, .max] as [UInt64])
  func `a claimed length is never believed`(name: String, claim: UInt64) throws {
    let bytes = try GoldenDeltas.bytes(name)
    var writer = ByteWriter()
    writer.write(varint: claim)
    for start in 3..<bytes.count - 8 {
      let end = bytes[start...].firstIndex { $0 < 0x80 } ?? start
      for end in Set([start, start + 1, end + 1]) where end <= bytes.count - 8 {
        let claiming = Array(bytes[..<start]) + writer.bytes + Array(bytes[end...])
        guard !Self.holds(claiming) else { continue }
        Issue.record("\(name): \(claim) at byte \(start), up to byte \(end)")
        return
      }
    }
  }
}
