extension Delta {
  /// The JSON form: what the binary form says, for servers and programs that speak JSON.
  ///
  /// Equal deltas have equal JSON, and reading it gives the delta with the same bytes. See <doc:WireFormat>.
  ///
  /// - Complexity: O(n log n) in the number of registers.
  public var json: JSON {
    var mutations: [JSON] = []
    var lives: [JSON] = []
    for part in records {
      if !part.fragment.registers.isEmpty { mutations.append(DeltaJSON.mutation(part)) }
      if let life = part.fragment.life { lives.append(DeltaJSON.life(life, of: part.key)) }
    }
    return [
      "dataset": .string(dataset.description), "from": from.json, "through": through.json,
      "mutations": .array(mutations), "lives": .array(lives),
      "log": .array(entries.map(DeltaJSON.entry)),
    ]
  }

  /// Reads the JSON form; as strict as the binary form's reader, and nothing is kept of what cannot be read whole.
  ///
  /// - Complexity: O(n log n) in the number of registers.
  /// - Throws: ``DeltaJSONError``.
  public init(json: JSON) throws(DeltaJSONError) {
    guard case .string(let text)? = json["dataset"], let dataset = DatasetID(text) else {
      throw .malformed("dataset")
    }
    var reader = DeltaJSONReader()
    for (index, mutation) in try DeltaJSON.list(json, "mutations").enumerated() {
      try reader.readMutation(mutation, at: "mutations[\(index)]")
    }
    for (index, life) in try DeltaJSON.list(json, "lives").enumerated() {
      try reader.readLife(life, at: "lives[\(index)]")
    }
    var entries: [EntryPart] = []
    for (index, entry) in try DeltaJSON.list(json, "log").enumerated() {
      entries.append(try DeltaJSONReader.entry(entry, at: "log[\(index)]"))
    }
    guard Set(entries.map(\.key)).count == entries.count else { throw .malformed("log") }
    let read = Delta(
      dataset: dataset, from: try DeltaJSON.vector(json, "from"),
      through: try DeltaJSON.vector(json, "through"), records: try reader.parts(),
      entries: entries)
    // What is read here passes every check that bytes have to pass.
    do { self = try Delta(decoding: read.encoded()) } catch { throw .refused(error) }
  }
}

/// Why the JSON form of a delta could not be read; nothing was changed.
///
/// No error carries user data: only the part, such as `mutations[3].stamps`.
public enum DeltaJSONError: Error, Hashable, Sendable {
  /// A part is not there, or is not what it has to be; whoever made it does not speak this format.
  case malformed(_ part: String)
  /// A value of a part cannot be read.
  case value(_ part: String, JSONError)
  /// The parts can be read, but no delta may be so.
  case refused(CodingError)
}

extension DeltaJSONError: CustomStringConvertible {
  /// What happened and what can be done.
  public var description: String {
    switch self {
    case .malformed(let part):
      "The JSON is no delta: \(part) is missing or malformed; ask the sender for it again."
    case .value(let part, let error): "The JSON is no delta: in \(part), \(error)"
    case .refused(let error): "The JSON is no delta: \(error)"
    }
  }
}

/// Writes the parts of the JSON form.
enum DeltaJSON {
  /// The registers of a record: plain values as payload and stamps, everything else one by one, as is a second value of
  /// one field, which waits for its time.
  static func mutation(_ part: Delta.RecordPart) -> JSON {
    var payload: [JSON.Member] = []
    var stamps: [JSON.Member] = []
    var elements: [JSON] = []
    for register in part.fragment.registers {
      let address = part.fragment.address(of: register)
      let value = part.fragment.value(of: register).json
      let stamp = stamp(register.precedence)
      if address.kind == RegisterKind.plain, payload.last?.name.hasSameBytes(as: address.field.text) != true {
        payload.append(JSON.Member(address.field.text, value))
        stamps.append(JSON.Member(address.field.text, stamp))
      } else {
        elements.append([
          "field": .string(address.field.text), "kind": .int(Int64(address.kind)),
          "element": .string(Base64.encode(address.element)), "value": value, "stamp": stamp,
        ])
      }
    }
    var members: [JSON.Member] = [
      JSON.Member("entity", .string(part.key.collection.text)),
      JSON.Member("entity_id", .string(part.key.id.description)), JSON.Member("payload", .object(payload)),
      JSON.Member("stamps", .object(stamps)),
    ]
    if !elements.isEmpty { members.append(JSON.Member("elements", .array(elements))) }
    return .object(members)
  }

  static func life(_ life: Life, of key: RecordKey) -> JSON {
    [
      "entity": .string(key.collection.text), "id": .string(key.id.description), "count": number(life.count),
      "stamp": .string(life.timestamp.description),
    ]
  }

  static func entry(_ part: Delta.EntryPart) -> JSON {
    [
      "entity": .string(part.key.log.text), "id": .string(part.key.id.description),
      "values": Value.map(part.entry.values).json, "stamp": .string(part.entry.timestamp.description),
    ]
  }

  /// A timestamp, or with a life and a rank where they are not 1 and 0.
  private static func stamp(_ precedence: Precedence) -> JSON {
    let text = JSON.string(precedence.timestamp.description)
    guard precedence.life != 1 || precedence.rank != 0 else { return text }
    return ["life": number(precedence.life), "rank": number(precedence.rank), "stamp": text]
  }

  /// A number, or beyond what every program reads exactly, 16 hex digits.
  private static func number(_ number: UInt64) -> JSON {
    guard let whole = Int64(exactly: number), JSON.interoperableIntegers ~= whole else {
      return .string(number.hexadecimal)
    }
    return .int(whole)
  }

  static func vector(_ json: JSON, _ name: String) throws(DeltaJSONError) -> VersionVector {
    guard let vector = json[name].flatMap(VersionVector.init(json:)) else { throw .malformed(name) }
    return vector
  }

  static func list(_ json: JSON, _ name: String) throws(DeltaJSONError) -> [JSON] {
    guard case .array(let elements)? = json[name] else { throw .malformed(name) }
    return elements
  }
}

extension VersionVector {
  /// The JSON form: an object of times by replicas.
  public var json: JSON {
    .object(entries.map { JSON.Member($0.replica.description, .string($0.time.description)) })
  }

  /// Reads the JSON form; nil when it is anything else.
  public init?(json: JSON) {
    guard case .object(let members) = json else { return nil }
    var pairs: [(ReplicaID, HybridTime)] = []
    for member in members {
      guard let replica = ReplicaID(member.name), case .string(let text) = member.value,
        let time = HybridTime(text)
      else { return nil }
      pairs.append((replica, time))
    }
    // In order, each is added at the end.
    pairs.sort { $0.0 < $1.0 }
    self.init(pairs)
  }
}
