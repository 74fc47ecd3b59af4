import RejoinCore

extension FieldEncoder {
  struct NodeEncoder: Encoder {
    let node: Node
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      node.kind = .keyed
      return KeyedEncodingContainer(KeyedContainer(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      node.kind = .unkeyed
      return UnkeyedContainer(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
      SingleContainer(node: node, codingPath: codingPath)
    }
  }

  struct SingleContainer: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil() { node.set(.null) }
    func encode(_ value: Bool) { node.set(.bool(value)) }
    func encode(_ value: String) { node.set(.string(value)) }
    func encode(_ value: Double) { node.set(.double(value)) }
    func encode(_ value: Float) { node.set(.double(Double(value))) }
    func encode(_ value: Int) { node.set(.int(Int64(value))) }
    func encode(_ value: Int8) { node.set(.int(Int64(value))) }
    func encode(_ value: Int16) { node.set(.int(Int64(value))) }
    func encode(_ value: Int32) { node.set(.int(Int64(value))) }
    func encode(_ value: Int64) { node.set(.int(value)) }
    func encode(_ value: UInt) throws { try encodeInteger(value) }
    func encode(_ value: UInt8) { node.set(.int(Int64(value))) }
    func encode(_ value: UInt16) { node.set(.int(Int64(value))) }
    func encode(_ value: UInt32) { node.set(.int(Int64(value))) }
    func encode(_ value: UInt64) throws { try encodeInteger(value) }
    func encode<T: Encodable>(_ value: T) throws {
      try FieldEncoder.encode(value, into: node, codingPath: codingPath)
    }

    private func encodeInteger(_ value: some BinaryInteger) throws {
      node.set(try FieldEncoder.integer(value, codingPath: codingPath))
    }
  }

  struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let codingPath: [any CodingKey]

    private func child(_ key: some CodingKey) -> Node {
      let child = Node()
      node.members.append((key.stringValue, child))
      return child
    }

    func encodeNil(forKey key: Key) { node.members.append((key.stringValue, nil)) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try FieldEncoder.encode(value, into: child(key), codingPath: codingPath + [key])
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
      guard let value else { return encodeNil(forKey: key) }
      try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }

    private func encodeOptional<T: Encodable>(_ value: T?, _ key: Key) throws {
      guard let value else { return encodeNil(forKey: key) }
      try encode(value, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      NodeEncoder(node: child(key), codingPath: codingPath + [key]).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      NodeEncoder(node: child(key), codingPath: codingPath + [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
      let key = NameKey(stringValue: "super")
      return NodeEncoder(node: child(key), codingPath: codingPath + [key])
    }

    func superEncoder(forKey key: Key) -> any Encoder {
      NodeEncoder(node: child(key), codingPath: codingPath + [key])
    }
  }

  struct UnkeyedContainer: UnkeyedEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    var count: Int { node.elements.count }

    private func child() -> Node {
      let child = Node()
      node.elements.append(child)
      return child
    }

    func encodeNil() { child().set(.null) }

    func encode<T: Encodable>(_ value: T) throws {
      try FieldEncoder.encode(value, into: child(), codingPath: codingPath)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      NodeEncoder(node: child(), codingPath: codingPath).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      NodeEncoder(node: child(), codingPath: codingPath).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { NodeEncoder(node: child(), codingPath: codingPath) }
  }
}
