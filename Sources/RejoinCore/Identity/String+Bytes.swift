extension String {
  /// Whether both have the same UTF-8 bytes; `==` calls canonically equivalent ones equal.
  package func hasSameBytes(as other: String) -> Bool {
    // Same bytes are canonically equivalent, and `==` is quick for strings that differ or share their storage.
    guard utf8.count == other.utf8.count, self == other else { return false }
    let result = unsafe utf8.withContiguousStorageIfAvailable { left in
      unsafe other.utf8.withContiguousStorageIfAvailable { right in
        var index = 0
        while index < left.count {
          guard unsafe left[index] == right[index] else { return false }
          index += 1
        }
        return true
      }
    }
    return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
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
