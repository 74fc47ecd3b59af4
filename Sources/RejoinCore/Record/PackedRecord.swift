/// The state of one record in one buffer: its life and its registers, with both slots of an address.
///
/// Memory, disk and delta share this form, so that merging is a linear pass over two sorted runs. The bytes are
/// specified in <doc:WireFormat>:
///
/// - a varint: four times the number of timestamps, plus one when the record has an entry in the tombstone set,
///   plus two when a register stands in a future slot
/// - that entry, if any: the count and the index of its timestamp
/// - the timestamps that occur in the record, ascending, 16 bytes each: the record's entries in the change index
/// - the registers by address, the ordinary slot before the future one: address; a varint of eight times the
///   index of the timestamp plus flags (1 future slot, 2 life follows, 4 rank follows); life; rank; value with
///   its count
///
/// In a fragment that travels in a delta no slot is marked: the receiver decides by its own clock.
public struct PackedRecord: Equatable, Sendable {
  /// The packed form.
  package let bytes: [UInt8]

  /// Takes bytes that were packed here or validated.
  package init(trusted bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// A register within a packed record: where its address and its value stand, and what decides about it.
package struct PackedRegister {
  /// Where the address stands in the record's bytes.
  package var address: Range<Int>

  /// Where the canonical bytes of the value stand.
  package var value: Range<Int>

  /// What decides.
  package var precedence: Precedence

  /// Whether it stands in the future slot.
  package var isFuture: Bool
}

/// What stands before the registers of a packed record.
struct PackedHeader {
  static let hasLife: UInt64 = 1
  static let hasFuture: UInt64 = 2
  static let future: UInt64 = 1
  static let lifeFollows: UInt64 = 2
  static let rankFollows: UInt64 = 4

  /// The record's entry in the tombstone set.
  var life: Life?

  /// The timestamps that occur, ascending.
  var timestamps: [Timestamp]

  /// Whether a register stands in a future slot.
  var hasFuture = false
}

extension PackedRecord {
  /// The record's entry in the tombstone set; nil while it is in its first life.
  package var life: Life? { header.life }

  /// The timestamps that occur in the record, ascending.
  package var timestamps: [Timestamp] { header.timestamps }

  /// Whether a register stands in a future slot; costs next to nothing.
  package var hasWaiting: Bool { bytes.first.map { UInt64($0) & PackedHeader.hasFuture != 0 } ?? false }

  /// The registers, by address.
  package var registers: [PackedRegister] { parts.registers }

  /// The canonical bytes of a register's value.
  package func valueBytes(of register: PackedRegister) -> ArraySlice<UInt8> { bytes[register.value] }

  /// Whether a register holds a value of a kind that only newer versions know.
  package func holdsUnknownKind(_ register: PackedRegister) -> Bool {
    ValueTag.unknown ~= bytes[register.value.lowerBound]
  }

  /// The value of a register.
  package func value(of register: PackedRegister) -> Value {
    do {
      return try Value(canonicalBytes: bytes, in: register.value)
    } catch {
      preconditionFailure("packed records hold only values that were validated: \(error)")
    }
  }

  /// The address of a register.
  package func address(of register: PackedRegister) -> RegisterAddress {
    do {
      return try RegisterAddress(packed: bytes, in: register.address)
    } catch {
      preconditionFailure("packed records hold only addresses that were validated: \(error)")
    }
  }

  private var header: PackedHeader {
    do {
      var reader = ByteReader(bytes)
      return try PackedRecord.readHeader(from: &reader)
    } catch {
      preconditionFailure("packed records were packed here or validated: \(error)")
    }
  }

  /// Header and registers in one pass.
  var parts: (header: PackedHeader, registers: [PackedRegister]) {
    do {
      var reader = ByteReader(bytes)
      let header = try PackedRecord.readHeader(from: &reader)
      var registers: [PackedRegister] = []
      registers.reserveCapacity(16)
      while !reader.isAtEnd {
        registers.append(try PackedRecord.readRegister(from: &reader, timestamps: header.timestamps))
      }
      return (header, registers)
    } catch {
      preconditionFailure("packed records were packed here or validated: \(error)")
    }
  }

  static func readHeader(from reader: inout ByteReader) throws(CodingError) -> PackedHeader {
    let offset = reader.position
    let head = try reader.readVarint()
    let count = head >> 2
    guard count <= UInt64(reader.remaining / 16) else { throw .malformed("record", offset: offset) }
    var life: (count: UInt64, index: Int)?
    if head & PackedHeader.hasLife != 0 {
      life = (try reader.readVarint(), try reader.readIndex(into: "timestamps", count: Int(count)))
    }
    var timestamps: [Timestamp] = []
    timestamps.reserveCapacity(Int(count))
    for _ in 0..<count {
      let time = HybridTime(rawValue: try reader.readBigEndian())
      timestamps.append(Timestamp(time: time, replica: ReplicaID(rawValue: try reader.readBigEndian())))
    }
    return PackedHeader(
      life: life.map { Life(count: $0.count, timestamp: timestamps[$0.index]) }, timestamps: timestamps,
      hasFuture: head & PackedHeader.hasFuture != 0)
  }

  @inline(__always)
  static func readRegister(
    from reader: inout ByteReader, timestamps: [Timestamp]
  ) throws(CodingError) -> PackedRegister {
    let address = try RegisterAddress.skip(in: &reader)
    let head = try reader.readVarint()
    guard head >> 3 < UInt64(timestamps.count) else {
      throw .malformed("timestamp of a register", offset: address.upperBound)
    }
    let life = head & PackedHeader.lifeFollows != 0 ? try reader.readVarint() : 1
    let rank = head & PackedHeader.rankFollows != 0 ? try reader.readVarint() : 0
    return PackedRegister(
      address: address, value: try reader.readCountedRange(of: "value"),
      precedence: Precedence(life: life, rank: rank, timestamp: timestamps[Int(head >> 3)]),
      isFuture: head & PackedHeader.future != 0)
  }
}
