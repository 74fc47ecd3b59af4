extension JSON {
  /// The value of the member with this name, by the name's UTF-8 bytes; nil if there is none or this is no object.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    let sought = JSONText(name)
    return members.first { JSONText($0.name) == sought }?.value
  }

  /// The value to which a JSON Pointer leads (RFC 6901), such as `/accounts/0/email`; the empty one leads here.
  ///
  /// Names are compared by their UTF-8 bytes; an index is `0` or digits that start with another one. Throws
  /// `malformedPointer`, or `nothingAtPointer` with the part that leads nowhere.
  public func at(pointer: String) throws(JSONError) -> JSON {
    // By bytes: within a `String`, a slash and a combining mark behind it would be one character.
    let parts = pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.first?.isEmpty ?? true else { throw JSONError(.malformedPointer) }
    var names: [String] = []
    for part in parts.dropFirst() {
      guard let name = JSON.unescaped(part) else { throw JSONError(.malformedPointer) }
      names.append(name)
    }
    var found = self
    for (index, name) in names.enumerated() {
      guard let next = found.child(name) else { throw JSONError(.nothingAtPointer(step: index + 1)) }
      found = next
    }
    return found
  }

  private func child(_ name: String) -> JSON? {
    guard case .array(let elements) = self else { return self[name] }
    guard let index = Int(name), String(index) == name, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// A part of a pointer with `~1` as a slash and `~0` as a tilde; nil for a tilde that stands for nothing.
  private static func unescaped(_ part: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var follows = false
    for byte in part {
      switch (follows, byte) {
      case (false, UInt8(ascii: "~")): follows = true
      case (false, _): bytes.append(byte)
      case (true, UInt8(ascii: "0")):
        bytes.append(UInt8(ascii: "~"))
        follows = false
      case (true, UInt8(ascii: "1")):
        bytes.append(UInt8(ascii: "/"))
        follows = false
      case (true, _): return nil
      }
    }
    return follows ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
