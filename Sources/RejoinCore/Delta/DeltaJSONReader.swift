/// Puts records together from the JSON form of a delta.
struct DeltaJSONReader {
  private var writes: [RecordKey: [RegisterWrite]] = [:]
  private var lives: [RecordKey: Life] = [:]

  // MARK: Records

  /// Reads one mutation; a record stands in one at most.
  mutating func readMutation(_ json: JSON, at part: String) throws(DeltaJSONError) {
    let key = try Self.key(json, "entity_id", at: part)
    guard writes[key] == nil, case .object(let payload)? = json["payload"],
      case .object(let stamps)? = json["stamps"], payload.count == stamps.count
    else { throw .malformed(part) }
    var read: [RegisterWrite] = []
    var counts: [RegisterAddress: Int] = [:]
    let stampsByField = Dictionary(stamps.map { (FieldName($0.name), $0.value) }) { first, _ in first }
    for member in payload {
      let address = RegisterAddress(FieldName(member.name))
      guard let stamp = stampsByField[address.field] else { throw .malformed("\(part).stamps") }
      counts[address] = 1
      read.append(
        RegisterWrite(
          address: address, value: try Self.value(member.value, "\(part).payload"),
          precedence: try Self.precedence(stamp, "\(part).stamps")))
    }
    for element in json["elements"] == nil ? [] : try DeltaJSON.list(json, "elements") {
      let write = try Self.element(element, "\(part).elements")
      // One that shows, and one that waits for its time.
      counts[write.address, default: 0] += 1
      guard counts[write.address, default: 0] <= 2 else { throw .malformed("\(part).elements") }
      read.append(write)
    }
    guard !read.isEmpty else { throw .malformed(part) }
    writes[key] = read
  }

  private static func element(_ json: JSON, _ part: String) throws(DeltaJSONError) -> RegisterWrite {
    guard case .string(let field)? = json["field"], case .int(let kind)? = json["kind"],
      let kind = UInt8(exactly: kind), case .string(let text)? = json["element"],
      let element = Base64.decode(text), kind != RegisterKind.plain || element.isEmpty,
      let value = json["value"]
    else { throw .malformed(part) }
    return RegisterWrite(
      address: RegisterAddress(FieldName(field), kind: kind, element: element),
      value: try self.value(value, part),
      precedence: try precedence(json["stamp"], part))
  }

  mutating func readLife(_ json: JSON, at part: String) throws(DeltaJSONError) {
    let key = try Self.key(json, "id", at: part)
    guard lives[key] == nil, let count = Self.number(json["count"]) else { throw .malformed(part) }
    lives[key] = Life(count: count, timestamp: try Self.timestamp(json["stamp"], part))
  }

  /// The records, once everything is read.
  func parts() throws(DeltaJSONError) -> [Delta.RecordPart] {
    var parts: [Delta.RecordPart] = []
    for key in Set(writes.keys).union(lives.keys) {
      // Of two values of one field the one that waits for its time comes second.
      let sorted = (writes[key] ?? []).sorted { $0.precedence < $1.precedence }
      let packed = RecordPacker.fragment(life: lives[key], writes: sorted)
      do {
        parts.append(Delta.RecordPart(key: key, fragment: try PackedRecord(validating: packed.bytes)))
      } catch {
        throw .refused(error)
      }
    }
    return parts
  }

  private static func key(_ json: JSON, _ id: String, at part: String) throws(DeltaJSONError) -> RecordKey {
    guard case .string(let entity)? = json["entity"], case .string(let text)? = json[id],
      let id = RecordID(text)
    else { throw .malformed(part) }
    return RecordKey(Collection(entity), id)
  }

  // MARK: Log entries

  static func entry(_ json: JSON, at part: String) throws(DeltaJSONError) -> Delta.EntryPart {
    guard case .string(let log)? = json["entity"], case .string(let text)? = json["id"],
      let id = EntryID(text), let values = json["values"],
      case .map(let map) = try value(values, "\(part).values")
    else { throw .malformed(part) }
    return Delta.EntryPart(
      key: EntryKey(LogName(log), id), entry: LogEntry(map, timestamp: try timestamp(json["stamp"], part)))
  }

  // MARK: Single things

  private static func value(_ json: JSON, _ part: String) throws(DeltaJSONError) -> Value {
    do { return try Value(json: json) } catch { throw .value(part, error) }
  }

  private static func timestamp(_ json: JSON?, _ part: String) throws(DeltaJSONError) -> Timestamp {
    guard case .string(let text)? = json, let timestamp = Timestamp(text) else { throw .malformed(part) }
    return timestamp
  }

  private static func precedence(_ json: JSON?, _ part: String) throws(DeltaJSONError) -> Precedence {
    guard case .object? = json else { return Precedence(timestamp: try timestamp(json, part)) }
    guard let life = number(json?["life"]), let rank = number(json?["rank"]) else { throw .malformed(part) }
    return Precedence(life: life, rank: rank, timestamp: try timestamp(json?["stamp"], part))
  }

  private static func number(_ json: JSON?) -> UInt64? {
    switch json {
    case .int(let number)?: UInt64(exactly: number)
    case .string(let text)?: UInt64(hexadecimal: text)
    default: nil
    }
  }
}
