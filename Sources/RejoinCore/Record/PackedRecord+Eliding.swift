/// A record whose values partly stand elsewhere: the form in which a table keeps it beside its columns.
///
/// In place of a value stands one marker byte that no value starts with, so that nothing can be mistaken.
extension PackedRecord {
  /// The first bytes that no value has.
  package static let markers: ClosedRange<UInt8> = 0xf0...0xff

  /// The packed form with markers in place of some values.
  ///
  /// `marker` is asked for the marker of a register whose value is kept elsewhere; it says nil for all others.
  package func eliding(_ marker: (PackedRegister) -> UInt8?) -> [UInt8] {
    var writer = ByteWriter(reserving: bytes.count)
    var copied = 0
    for register in registers {
      guard let marker = marker(register) else { continue }
      writer.write(bytes[copied..<register.value.lowerBound - varintSize(of: register.value.count)])
      writer.write(1 as UInt8)
      writer.write(marker)
      copied = register.value.upperBound
    }
    writer.write(bytes[copied...])
    return writer.bytes
  }

  /// Puts the values back in place of their markers, and checks the whole.
  ///
  /// `value` is asked for the canonical bytes of the value that a marker stands for in a field.
  package init(
    expanding elided: [UInt8], _ value: (_ field: String, _ marker: UInt8) throws -> [UInt8]
  ) throws {
    var reader = ByteReader(elided)
    let header = try PackedRecord.readHeader(from: &reader)
    var writer = ByteWriter(reserving: elided.count * 2)
    var copied = 0
    while !reader.isAtEnd {
      let register = try PackedRecord.readRegister(from: &reader, timestamps: header.timestamps)
      guard register.value.count == 1, PackedRecord.markers ~= elided[register.value.lowerBound] else {
        continue
      }
      let address = try RegisterAddress(packed: elided, in: register.address)
      writer.write(elided[copied..<register.value.lowerBound - 1])
      writer.write(counted: try value(address.field.text, elided[register.value.lowerBound]))
      copied = register.value.upperBound
    }
    writer.write(elided[copied...])
    try self.init(validating: writer.bytes)
  }

  private func varintSize(of value: Int) -> Int {
    max(1, (Int.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }
}
