import RejoinCore

/// What a memory store keeps for its device, in order of the keys.
struct LocalTable {
  private var texts: [LocalKey: String] = [:]
  private var order = SortedChunks<LocalKey>()

  subscript(key: LocalKey) -> String? { texts[key] }

  mutating func apply(_ write: LocalWrite) {
    let old = texts.updateValue(write.text ?? "", forKey: write.key)
    if write.text == nil {
      texts[write.key] = nil
      if old != nil { order.remove(write.key) }
    } else if old == nil {
      order.insert(write.key)
    }
  }

  mutating func forEach(
    in space: String, from first: [UInt8], _ body: ([UInt8], String) throws -> Bool
  ) rethrows {
    try order.forEach(from: LocalKey(space, first)) { key in
      guard key.space == space, let text = texts[key] else { return false }
      return try body(key.key, text)
    }
  }
}
