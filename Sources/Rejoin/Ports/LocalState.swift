import RejoinCore

/// Names something that a device keeps for itself: it belongs to the replica's file and is part of no delta.
package struct LocalKey: Hashable, Comparable, Sendable {
  /// What it is of, such as the lanes of an outbox.
  package var space: String
  /// Which of these; keys sort by their bytes.
  package var key: [UInt8]

  /// Names a key of a space.
  package init(_ space: String, _ key: [UInt8]) {
    self.space = space
    self.key = key
  }

  /// Order of the space, then of the key's bytes.
  package static func < (left: LocalKey, right: LocalKey) -> Bool {
    left.space.hasSameBytes(as: right.space)
      ? left.key.lexicographicallyPrecedes(right.key)
      : left.space.utf8.lexicographicallyPrecedes(right.space.utf8)
  }

  /// Whether both name the same bytes.
  package static func == (left: LocalKey, right: LocalKey) -> Bool {
    left.key == right.key && left.space.hasSameBytes(as: right.space)
  }

  /// Hashes what `==` compares.
  package func hash(into hasher: inout Hasher) {
    space.hashBytes(into: &hasher)
    key.hashBytes(into: &hasher)
  }
}

/// Something kept for this device, and what is kept instead; nil takes it away.
package struct LocalWrite: Sendable {
  /// Which.
  package var key: LocalKey
  /// What shall be kept, as text that people can read.
  package var text: String?

  /// Makes a write.
  package init(_ key: LocalKey, _ text: String?) {
    self.key = key
    self.text = text
  }
}
