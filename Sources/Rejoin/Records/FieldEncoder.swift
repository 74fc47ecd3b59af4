import RejoinCore

/// Encodes a record as fields by coding key; a field that is nil has no value.
enum FieldEncoder {
  /// A field as a record encodes it.
  struct Field {
    /// Its name.
    let name: FieldName
    /// What it shows; nil when it is nil.
    let value: Value?
    /// What it is.
    let kind: Kind

    enum Kind {
      /// A plain value.
      case plain
      /// A counter, and whether it was reset since it was read.
      case counter(isReset: Bool)
      /// A set, with the elements that were inserted since it was read, also those that were there.
      case set(inserted: [Value])
    }
  }

  /// The fields of a record without its id, in the order in which it encodes them.
  static func fields<R: Record>(of record: R) throws -> [Field] {
    let node = Node()
    try record.encode(to: NodeEncoder(node: node, codingPath: []))
    guard node.kind == .keyed else { throw ReplicaError.notARecord(type: String(describing: R.self)) }
    return node.members.filter { FieldName($0.name) != R.idKey }.map {
      Field(name: FieldName($0.name), value: $0.node?.value, kind: $0.node?.field ?? .plain)
    }
  }

  /// What one value of a nested type encodes as.
  final class Node {
    enum Kind {
      case single
      case keyed
      case unkeyed
    }

    var kind = Kind.keyed
    var single = Value.null
    var members: [(name: String, node: Node?)] = []
    var elements: [Node] = []

    /// What the value is where it is a property of a record itself.
    var field = Field.Kind.plain

    /// What was encoded; members that are nil are left out.
    var value: Value? {
      switch kind {
      case .single: single
      case .keyed:
        .map(ValueMap(members.compactMap { member in member.node?.value.map { (member.name, $0) } }))
      case .unkeyed: .array(elements.map { $0.value ?? .null })
      }
    }

    /// Puts what has no order of its own in order of its values, so that equal sets and dictionaries are equal here.
    func sort(as style: Mirror.DisplayStyle?) {
      switch style {
      case .set:
        elements = elements.map { (value: $0.value ?? .null, node: $0) }.sorted { $0.value < $1.value }
          .map(\.node)
      case .dictionary:
        // Dictionaries whose keys are no strings encode as keys and values in turn.
        let keys = stride(from: 0, to: elements.count - 1, by: 2)
        let pairs = keys.map { (key: elements[$0].value ?? .null, nodes: elements[$0...$0 + 1]) }
        elements = pairs.sorted { $0.key < $1.key }.flatMap(\.nodes)
      default: break
      }
    }

    func set(_ value: Value) {
      kind = .single
      single = value
    }
  }

  /// Encodes what the library stores as such, and lets everything else encode itself.
  static func encode<T: Encodable>(_ value: T, into node: Node, codingPath: [any CodingKey]) throws {
    // Types are compared before values are cast: an empty array of anything casts to an empty array of bytes.
    if T.self == [UInt8].self, let bytes = value as? [UInt8] { return node.set(.data(bytes)) }
    switch value {
    case let value as Value: node.set(value)
    case let id as RecordID: node.set(.record(id))
    case let time as UnixTime: node.set(.time(time.milliseconds))
    case let counter as Counter:
      node.set(.int(try counter.checkedValue(codingPath: codingPath)))
      node.field = .counter(isReset: counter.isReset)
    case let set as any SetField:
      node.set(.array(try elements(of: set.shownElements, codingPath: codingPath)))
      node.field = .set(inserted: try elements(of: set.insertedElements, codingPath: codingPath))
    default:
      try value.encode(to: NodeEncoder(node: node, codingPath: codingPath))
      if node.kind == .unkeyed { node.sort(as: Mirror(reflecting: value).displayStyle) }
    }
  }

  /// Elements of a set, each once, in order of their values.
  private static func elements(of elements: [any Encodable], codingPath: [any CodingKey]) throws -> [Value] {
    let values = try elements.map { element in
      let node = Node()
      try encode(element, into: node, codingPath: codingPath)
      return node.value ?? .null
    }
    return Set(values).sorted()
  }

  static func integer<T: BinaryInteger>(
    _ value: T, codingPath: [any CodingKey]
  ) throws -> Value {
    guard let number = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: codingPath, debugDescription: "whole numbers have 64 bits with sign"))
    }
    return .int(number)
  }
}

/// A coding key of any name.
struct NameKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
