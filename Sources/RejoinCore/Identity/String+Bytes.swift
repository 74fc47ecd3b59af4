extension String {
  /// Whether both have the same UTF-8 bytes; `==` calls canonically equivalent ones equal.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let result = unsafe utf8.withContiguousStorageIfAvailable { left in
      unsafe other.utf8.withContiguousStorageIfAvailable { right in
        unsafe UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
      }
    }
    return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Reads UTF-8; nil where it is none.
  ///
  /// The standard library's own check of a slice is several times as slow.
  package init?(utf8 bytes: ArraySlice<UInt8>) {
    var text = String(decoding: bytes, as: UTF8.self)
    // What is not UTF-8 was repaired, and differs now.
    let isSame = text.withUTF8 { text in
      unsafe bytes.withUnsafeBytes { unsafe UnsafeRawBufferPointer(text).hasSameBytes(as: $0) }
    }
    guard isSame else { return nil }
    self = text
  }

  /// Hashes the UTF-8 bytes, as fits ``hasSameBytes(as:)``.
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension [UInt8] {
  /// Hashes the bytes at once, where an array hashes one element after the other.
  package func hashBytes(into hasher: inout Hasher) {
    hasher.combine(count)
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// Compares eight bytes at a time.
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index + 8 <= count {
      let left = unsafe loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard unsafe left == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
      index += 8
    }
    while index < count {
      guard unsafe self[index] == other[index] else { return false }
      index += 1
    }
    return true
  }
}
