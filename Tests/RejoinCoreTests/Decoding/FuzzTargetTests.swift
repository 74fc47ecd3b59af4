import Foundation
import FuzzTargets
import RejoinCore
import Testing

/// The fuzz targets in short: the corpus, and mutations of it that are the same on every run.
///
/// `.ci/fuzz` runs the same targets for as long as one likes.
struct FuzzTargetTests {
  private static let mutations = 3_000

  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz/Corpus")

  /// The committed inputs of a target, in order of their names, and the committed deltas for those that read some.
  private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
    let folder = corpus.appending(path: target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
    let inputs = try names.sorted().map { try [UInt8](Data(contentsOf: folder.appending(path: $0))) }
    let deltas = try GoldenDeltas.formatOne.map { try GoldenDeltas.bytes($0.name) }
    switch target {
    case .deltas: return inputs + deltas
    case .merges:
      return inputs
        + zip(deltas, deltas.dropFirst()).map { first, second in
          [UInt8(first.count >> 8), UInt8(first.count & 0xff)] + first + second
        }
    case .values, .json, .records: return inputs
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `no input of the corpus and no mutation of one breaks a promise`(target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    #expect(inputs.count >= 3)
    for input in inputs { #expect(target.run(input) == nil) }
    var mutator = Mutator(seed: 1)
    for number in 0..<Self.mutations {
      let input = mutator.mutation(of: inputs)
      if let broken = target.run(input) { Issue.record("mutation \(number): \(broken): \(input)") }
    }
  }
}

/// Changes inputs a little: what a fuzzer does, without what it learns.
private struct Mutator {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// One of the inputs with one to four changes.
  mutating func mutation(of inputs: [[UInt8]]) -> [UInt8] {
    var bytes = generator.element(of: inputs)
    for _ in 0...generator.number(below: 4) { change(&bytes, inputs) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8], _ inputs: [[UInt8]]) {
    let index = generator.number(below: bytes.count)
    guard !bytes.isEmpty else { return bytes.append(UInt8(generator.number(below: 256))) }
    switch generator.number(below: 7) {
    case 0: bytes[index] ^= 1 << UInt8(generator.number(below: 8))
    case 1: bytes[index] = UInt8(generator.number(below: 256))
    case 2: bytes[index] = generator.element(of: [0, 1, 0x7f, 0x80, 0xff])
    case 3: bytes.insert(UInt8(generator.number(below: 256)), at: index)
    case 4: bytes.remove(at: index)
    case 5: bytes.removeSubrange(index..<min(bytes.count, index + generator.number(below: 16)))
    default:
      let other = generator.element(of: inputs)
      let start = generator.number(below: other.count)
      let end = min(other.count, start + generator.number(below: 16))
      bytes.insert(contentsOf: other[min(start, end)..<end], at: index)
    }
  }
}
