import RejoinCore

/// How many bytes the library's delta of some elements takes, counted without making it.
///
/// The protocols send eighty million elements in all settings together: nobody would wait for their encodings. That
/// the count is right is tested against the encoder.
struct EncodedSize: Equatable {
  /// How many nodes the elements were written by.
  var origins: Int

  /// The bytes of the columns: what stands between the vectors and the checksum.
  var columns: Int

  /// The bytes of a delta that needs nothing but itself: mark, format, features, data set, replicas and checksum.
  ///
  /// `from` is empty and `through` reaches as far as the elements do.
  var alone: Int { 20 + Self.varint(origins) + 17 * origins + inSession }

  /// The bytes of what is left when both ends have named replicas and data set before.
  var inSession: Int { columns + 8 }

  /// The bytes of a number.
  static func varint(_ value: Int) -> Int { max(value.bitWidth - value.leadingZeroBitCount + 6, 7) / 7 }

  /// The bytes of a column in which one name stands for all.
  fileprivate static func name(_ name: some Name, count: Int) -> Int {
    1 + varint(name.text.utf8.count) + name.text.utf8.count + 1 + varint(count)
  }
}

/// Counts the bytes of a column of times.
private struct TimeSize {
  private var last = 0

  mutating func add(_ update: Int, of plan: Plan) -> Int {
    let time = StoredForm.epoch + plan.updates[update].time
    defer { last = time }
    return EncodedSize.varint((time - last) * 2)
  }
}

extension ElementSet {
  func encodedSize(of plan: Plan) -> EncodedSize {
    let elements = elements
    var isOrigin = plan.updatesOfNode.map { _ in false }
    // No records; then log, ids, times, origins and values of the entries.
    var columns = 1 + EncodedSize.varint(elements.count)
    if !elements.isEmpty { columns += EncodedSize.name(StoredForm.log, count: elements.count) }
    var times = TimeSize()
    for update in elements {
      isOrigin[plan.updates[update].node] = true
      columns += 16 + times.add(update, of: plan) + 1 + plan.valueSizes[update]
    }
    return EncodedSize(origins: isOrigin.count { $0 }, columns: columns)
  }
}

extension ElementMap {
  /// The keys of one node, as they stand in its record.
  private struct Part {
    /// The updates that wrote them, ascending.
    var updates: [Int]
    /// Of each key, in order, its number within the record and the position of its update.
    var registers: [(field: Int, update: Int)]
  }

  func encodedSize(of plan: Plan) -> EncodedSize {
    let parts = plan.updatesOfNode.indices.compactMap { part(of: $0, of: plan) }
      .sorted { $0.updates[0] < $1.updates[0] }
    guard !parts.isEmpty else { return EncodedSize(origins: 0, columns: 2) }
    var columns = EncodedSize.varint(parts.count)
    columns += EncodedSize.name(StoredForm.collection, count: parts.count) + 16 * parts.count
    columns += shapeAndValueSize(of: parts)
    var first = TimeSize()
    for part in parts {
      columns += first.add(part.updates[0], of: plan) + part.updates.count
      var times = first
      for update in part.updates.dropFirst() { columns += times.add(update, of: plan) }
    }
    // No log entries.
    return EncodedSize(origins: parts.count, columns: columns + 1)
  }

  private func part(of node: Int, of plan: Plan) -> Part? {
    let keys = Plan.keys(of: node)
    let candidates = plan.updatesOfNode[node]
    var positions = [Int?](repeating: nil, count: candidates.count)
    for key in keys where writers[key] > 0 { positions[plan.updates[Int(writers[key]) - 1].ordinal] = 0 }
    var updates: [Int] = []
    for ordinal in positions.indices where positions[ordinal] != nil {
      positions[ordinal] = updates.count
      updates.append(candidates[ordinal])
    }
    guard !updates.isEmpty else { return nil }
    var registers: [(field: Int, update: Int)] = []
    for key in keys where writers[key] > 0 {
      guard let position = positions[plan.updates[Int(writers[key]) - 1].ordinal] else { continue }
      registers.append((key - keys.lowerBound, position))
    }
    return Part(updates: updates, registers: registers)
  }

  /// The bytes of field names, shapes and values; a shape that occurs again is only pointed to.
  private func shapeAndValueSize(of parts: [Part]) -> Int {
    var size = 0
    var addresses = [Int?](repeating: nil, count: Plan.keysPerNode)
    var valueCounts: [Int] = []
    var shapes: [[UInt8]: Int] = [:]
    for part in parts {
      var shape = ByteWriter(reserving: 2 * part.registers.count + 2)
      shape.write(count: part.updates.count << 1)
      shape.write(count: part.registers.count)
      for register in part.registers {
        let address = addresses[register.field] ?? valueCounts.count
        if address == valueCounts.count {
          addresses[register.field] = address
          valueCounts.append(0)
          size += 1 + StoredForm.fields[register.field].text.utf8.count
        }
        valueCounts[address] += 1
        shape.write(count: address)
        shape.write(count: register.update << 2)
      }
      if let index = shapes[shape.bytes] {
        size += EncodedSize.varint(index + 1)
      } else {
        shapes[shape.bytes] = shapes.count
        size += 1 + shape.bytes.count
      }
    }
    return valueCounts.reduce(size + EncodedSize.varint(valueCounts.count)) {
      $0 + EncodedSize.varint($1) + $1
    }
  }
}
