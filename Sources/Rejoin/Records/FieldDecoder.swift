import RejoinCore

/// Decodes a record from its id and fields by coding key.
///
/// An absent field and `.null` both read as nil.
enum FieldDecoder {
  /// Makes a record of fields as its type reads them.
  static func record<R: Record>(_ type: R.Type, id: RecordID, fields: [FieldName: Value]) throws -> R {
    var map = ValueMap(fields.map { ($0.key.text, $0.value) })
    map[R.idKey.text] = .record(id)
    return try R(from: ValueDecoder(value: .map(map), codingPath: []))
  }

  /// Makes a record of what it shows; what does not decode is told by field and type, never by value.
  static func readable<R: Record>(_ type: R.Type, id: RecordID, fields: [FieldName: Value]) throws -> R {
    do {
      return try record(type, id: id, fields: FieldReading(type).applied(to: fields))
    } catch {
      throw ReplicaError.undecodable(RecordKey(R.collection, id), reason: reason(error))
    }
  }

  fileprivate static func mismatch(_ type: Any.Type, _ codingPath: [any CodingKey]) -> DecodingError {
    .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: "the field holds another type"))
  }

  fileprivate static func decode<T: Decodable>(
    _ type: T.Type, from value: Value, codingPath: [any CodingKey]
  ) throws -> T {
    if type == Value.self, let result = value as? T { return result }
    switch (type, value) {
    case (is RecordID.Type, .record(let id)): if let result = id as? T { return result }
    case (is UnixTime.Type, .time(let milliseconds)):
      if let result = UnixTime(milliseconds: milliseconds) as? T { return result }
    case (is [UInt8].Type, .data(let bytes)): if let result = bytes as? T { return result }
    default: break
    }
    return try T(from: ValueDecoder(value: value, codingPath: codingPath))
  }

  // MARK: Containers

  fileprivate struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: Value
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      guard case .map(let map) = value else { throw mismatch([String: Any].self, codingPath) }
      return KeyedDecodingContainer(KeyedContainer(map: map, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      guard case .array(let elements) = value else { throw mismatch([Any].self, codingPath) }
      return UnkeyedContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
      guard case .bool(let flag) = value else { throw mismatch(type, codingPath) }
      return flag
    }

    func decode(_ type: String.Type) throws -> String {
      guard case .string(let text) = value else { throw mismatch(type, codingPath) }
      return text
    }

    func decode(_ type: Double.Type) throws -> Double {
      switch value {
      case .double(let number): return number
      case .int(let number) where JSON.interoperableIntegers ~= number: return Double(number)
      default: throw mismatch(type, codingPath)
      }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      try FieldDecoder.decode(type, from: value, codingPath: codingPath)
    }

    private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
      guard case .int(let number) = value, let result = T(exactly: number) else {
        throw mismatch(type, codingPath)
      }
      return result
    }
  }

  fileprivate struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let map: ValueMap
    let codingPath: [any CodingKey]

    var allKeys: [Key] { map.entries.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { map[key.stringValue] != nil }

    func decodeNil(forKey key: Key) -> Bool { map[key.stringValue].map { $0 == .null } ?? true }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      // A counter that nobody has counted with is 0, and a set to which nobody has added is empty.
      if let field = type as? any FieldOfOwnKind.Type, map[key.stringValue] ?? .null == .null,
        let result = field.init() as? T
      {
        return result
      }
      return try FieldDecoder.decode(type, from: try value(key), codingPath: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
      let key = NameKey(stringValue: "super")
      return ValueDecoder(value: map[key.stringValue] ?? .null, codingPath: codingPath + [key])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> ValueDecoder {
      ValueDecoder(value: try value(key), codingPath: codingPath + [key])
    }

    private func value(_ key: Key) throws -> Value {
      guard let value = map[key.stringValue] else {
        throw DecodingError.keyNotFound(
          key, DecodingError.Context(codingPath: codingPath, debugDescription: "the field was never written"))
      }
      return value
    }
  }

  fileprivate struct UnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [Value]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [Value], codingPath: [any CodingKey]) {
      self.elements = elements
      self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
      guard try peek() == .null else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let result = try FieldDecoder.decode(type, from: try peek(), codingPath: codingPath)
      currentIndex += 1
      return result
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
      defer { currentIndex += 1 }
      return ValueDecoder(value: try peek(), codingPath: codingPath)
    }

    private func peek() throws -> Value {
      guard !isAtEnd else { throw mismatch([Any].self, codingPath) }
      return elements[currentIndex]
    }
  }
}
