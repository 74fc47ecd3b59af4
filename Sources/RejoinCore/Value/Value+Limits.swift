extension Value {
  /// Refuses what could not be read back: too deep, too large, too many elements, a kind that has no room.
  ///
  /// What it returns is what will be read back: every NaN has become the one that values have.
  package func validated() throws(CodingError) -> Value {
    try checkShape(depth: 0)
    guard !holdsOtherNaN else { return try Value(canonicalBytes: canonicalBytes).validated() }
    guard isSmall || canonicalBytes.count <= Limits.valueBytes else {
      throw .overLimit("bytes of a value", limit: Limits.valueBytes)
    }
    return self
  }

  /// Whether the value is a scalar that is certainly within the bound.
  private var isSmall: Bool {
    switch self {
    case .null, .bool, .int, .double, .time, .record: true
    case .string(let text): text.utf8.count <= 4_096
    case .data(let bytes): bytes.count <= 4_096
    case .array, .map, .unknown: false
    }
  }

  /// Whether a NaN has other bits than the one that is read.
  private var holdsOtherNaN: Bool {
    switch self {
    case .double(let number): number.isNaN && number.bitPattern != Double.nan.bitPattern
    case .array(let elements): elements.contains(where: \.holdsOtherNaN)
    case .map(let map): map.entries.contains { $0.value.holdsOtherNaN }
    case .null, .bool, .int, .string, .data, .time, .record, .unknown: false
    }
  }

  private func checkShape(depth: Int) throws(CodingError) {
    switch self {
    case .array(let elements):
      try Value.check(depth: depth, count: elements.count)
      for element in elements { try element.checkShape(depth: depth + 1) }
    case .map(let map):
      try Value.check(depth: depth, count: map.entries.count)
      for entry in map.entries { try entry.value.checkShape(depth: depth + 1) }
    case .unknown(let kind, _):
      guard ValueTag.unknown ~= kind else { throw .malformed("kind of a value", offset: 0) }
    case .null, .bool, .int, .double, .string, .data, .time, .record: break
    }
  }

  private static func check(depth: Int, count: Int) throws(CodingError) {
    guard depth < Limits.valueDepth else { throw .overLimit("depth of a value", limit: Limits.valueDepth) }
    guard count <= Limits.valueElements else {
      throw .overLimit("elements of a value", limit: Limits.valueElements)
    }
  }
}

extension ValueMap {
  /// As of a value: for a map that is one, such as what a log entry says.
  package func validated() throws(CodingError) -> ValueMap {
    guard case .map(let map) = try Value.map(self).validated() else {
      preconditionFailure("a map is validated as a map")
    }
    return map
  }
}
