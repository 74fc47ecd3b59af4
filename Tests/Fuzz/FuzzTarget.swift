import Rejoin
import RejoinCore

/// What reads bytes from outside, with what must hold whatever the bytes are.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Deltas; the checksum is not looked at.
  case deltas
  /// Two deltas, the first with the count of its bytes in front (two bytes, the upper one first).
  case merges
  /// Canonical bytes of values.
  case values
  /// JSON texts.
  case json
  /// Packed records, as a row of a file has them.
  case records

  /// Runs the target; what it says is the promise that was broken, nil when all were kept.
  package func run(_ bytes: [UInt8]) -> String? {
    switch self {
    case .deltas: runDelta(bytes)
    case .merges: runMerge(bytes)
    case .values: runValue(bytes)
    case .json: runJSON(bytes)
    case .records: runRecord(bytes)
    }
  }

  private func runDelta(_ bytes: [UInt8]) -> String? {
    guard let delta = try? Delta(decoding: bytes, checksChecksum: false) else { return nil }
    guard delta.encoded().dropLast(8) == bytes.dropLast(8) else { return "a delta has one form" }
    for part in delta.records {
      guard (try? PackedRecord(validating: part.fragment.bytes)) != nil else { return "fragments are valid" }
    }
    let made = Delta(
      dataset: delta.dataset, from: delta.from, through: delta.through, records: Array(delta.records),
      entries: Array(delta.entries))
    guard made == delta, made.winners == delta.winners else { return "columns hold the parts" }
    return merge([delta, delta])
  }

  private func runMerge(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 2 else { return nil }
    let middle = min(2 + Int(bytes[0]) << 8 + Int(bytes[1]), bytes.count)
    let deltas = [bytes[2..<middle], bytes[middle...]].compactMap {
      try? Delta(decoding: Array($0), checksChecksum: false)
    }
    guard deltas.count == 2 else { return nil }
    return merge(deltas) ?? merge(deltas.reversed())
  }

  /// Merges deltas into a new replica as if nothing were missing in between, then sends what it holds.
  private func merge(_ deltas: [Delta]) -> String? {
    let environment = ReplicaEnvironment(wallMilliseconds: { 1_700_000_000_000 }, randomBits: { 0x5eed })
    let dataset = DatasetID(high: 1, low: 1)
    let replica = Replica(
      configuration: ReplicaConfiguration(dataset: dataset, environment: environment))
    for var delta in deltas {
      delta.dataset = dataset
      delta.from = VersionVector()
      guard (try? replica.merge(delta)) != nil else { return nil }
    }
    do {
      let sent = try replica.delta(since: VersionVector())
      guard try Delta(decoding: sent.encoded()) == sent else { return "what was merged can be sent" }
      for delta in deltas {
        for key in Set(delta.records.map(\.key)) { _ = try replica.fields(of: key.id, in: key.collection) }
      }
    } catch {
      return "what was merged can be read: \(error)"
    }
    return nil
  }

  private func runValue(_ bytes: [UInt8]) -> String? {
    guard let value = try? Value(canonicalBytes: bytes) else { return nil }
    guard value.canonicalBytes == bytes else { return "a value has one form" }
    guard bytes.count <= Limits.valueBytes else { return nil }
    guard (try? value.validated()) != nil else { return "a value that was read can be written" }
    guard let json = try? JSON(parsing: value.json.text()), let read = try? Value(json: json) else {
      return "the JSON form of a value can be read"
    }
    return read.canonicalBytes == bytes ? nil : "the JSON form of a value is exact"
  }

  private func runJSON(_ bytes: [UInt8]) -> String? {
    guard let json = try? JSON(parsing: bytes) else { return nil }
    guard (try? JSON(parsing: json.bytes())) == json else { return "a tree comes back from its text" }
    guard (try? JSON(parsing: json.bytes(pretty: true))) == json else { return "a tree comes back indented" }
    guard let value = try? Value(json: json) else { return nil }
    guard let read = try? Value(json: value.json) else { return "the JSON form of a value can be read" }
    return read == value ? runValue(value.canonicalBytes) : "the JSON form of a value is exact"
  }

  private func runRecord(_ bytes: [UInt8]) -> String? {
    guard let record = try? PackedRecord(validating: bytes) else { return nil }
    for register in record.registers {
      _ = record.value(of: register)
      _ = record.address(of: register)
    }
    let rules = MergeRules(latestAcceptable: .distantFuture, own: .init(), through: .init())
    let merger = RecordMerger(
      record, into: record, key: RecordKey("things", RecordID(high: 0, low: 1)), rules: rules)
    guard (try? PackedRecord(validating: merger.result.bytes)) != nil else {
      return "what is merged is valid"
    }
    _ = record.fields(record.best(fromLife: record.life?.latest ?? 1))
    return nil
  }
}
