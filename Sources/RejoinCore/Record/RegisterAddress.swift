/// Where a register lives within a record: a field, and for kinds other than a plain value an element of it.
///
/// Every kind is a register at a longer address, joined by one rule, so that a version that does not know a kind
/// still merges it rightly. Kind 0 is the plain value of the field; ``RegisterKind`` lists the others that this
/// version knows.
public struct RegisterAddress: Hashable, Comparable, Sendable {
  /// The field; empty for the existence register of a record that was inserted without fields.
  public var field: FieldName

  /// 0 for the plain value of the field.
  public var kind: UInt8

  /// Which element of the field; empty for kind 0.
  public var element: [UInt8]

  /// Makes an address.
  public init(_ field: FieldName, kind: UInt8 = 0, element: [UInt8] = []) {
    self.field = field
    self.kind = kind
    self.element = kind == 0 ? [] : element
  }

  /// The register that says only that the record exists.
  public static let existence = RegisterAddress(FieldName(""))

  /// Order of the packed bytes: the order in which registers stand in a packed record.
  public static func < (left: RegisterAddress, right: RegisterAddress) -> Bool {
    left.packed.lexicographicallyPrecedes(right.packed)
  }

  /// The packed form: a varint of twice the count of the name's bytes, plus one when a kind follows; the name;
  /// then the kind and the element with its count, unless the kind is 0.
  package var packed: [UInt8] {
    var writer = ByteWriter(reserving: field.text.utf8.count + 2)
    write(to: &writer)
    return writer.bytes
  }

  /// Appends the packed form.
  package func write(to writer: inout ByteWriter) {
    writer.write(count: field.text.utf8.count << 1 | (kind == 0 ? 0 : 1))
    writer.write(field.text.utf8)
    if kind != 0 {
      writer.write(kind)
      writer.write(counted: element)
    }
  }

  /// Whether a packed address is that of a plain value: the lowest bit of its first byte says so.
  @inline(__always)
  package static func isPlain(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    bytes[range.lowerBound] & 1 == 0
  }

  /// Reads the packed form.
  package init(packed bytes: [UInt8], in range: Range<Int>) throws(CodingError) {
    var reader = ByteReader(bytes, in: range)
    let (name, hasKind) = try RegisterAddress.readName(from: &reader)
    guard let text = String(utf8: bytes[name]) else {
      throw .malformed("field name", offset: name.lowerBound)
    }
    self.init(FieldName(text))
    guard hasKind else { return }
    kind = try reader.readByte()
    guard kind != 0 else { throw .malformed("kind of a register", offset: reader.position) }
    element = Array(bytes[try reader.readCountedRange(of: "element")])
  }

  /// Skips the packed form and says where it stands.
  @inline(__always)
  package static func skip(in reader: inout ByteReader) throws(CodingError) -> Range<Int> {
    let start = reader.position
    let (_, hasKind) = try readName(from: &reader)
    if hasKind {
      _ = try reader.readByte()
      _ = try reader.readCountedRange(of: "element")
    }
    return start..<reader.position
  }

  /// Skips the packed form, after every check that reading it makes, and says where it stands.
  static func skipChecked(in reader: inout ByteReader) throws(CodingError) -> Range<Int> {
    let start = reader.position
    let (name, hasKind) = try readName(from: &reader)
    var nameReader = ByteReader(reader.bytes, in: name)
    _ = try nameReader.skipText(of: "field name", count: name.count)
    if hasKind {
      guard try reader.readByte() != 0 else {
        throw .malformed("kind of a register", offset: reader.position)
      }
      _ = try reader.readCountedRange(of: "element")
    }
    return start..<reader.position
  }

  @inline(__always)
  private static func readName(from reader: inout ByteReader) throws(CodingError) -> (Range<Int>, Bool) {
    let head = try reader.readVarint()
    guard head >> 1 <= UInt64(Limits.nameBytes) else {
      throw .overLimit("bytes of a field name", limit: Limits.nameBytes)
    }
    return (try reader.readRange(count: Int(head >> 1)), head & 1 == 1)
  }
}
