import Rejoin
import RejoinCore

/// Rows that could not be understood: kept as they came, they do not hold the cursor.
extension ServerTransaction {
  private var quarantineSpace: String { "\(server)/quarantine" }

  /// Everything that is kept.
  ///
  /// What is not what was kept is a row that could not be understood, too: reading again must never fail for ever.
  func quarantine() throws -> [QuarantinedRow] {
    var rows: [QuarantinedRow] = []
    try forEachKept(in: quarantineSpace) { key, text in
      let json = try? JSON(parsing: text)
      if let row = json?["row"], case .int(let version)? = json?["schema"] {
        rows.append(QuarantinedRow(key: key, row: row, schemaVersion: Int(clamping: version)))
      } else {
        rows.append(QuarantinedRow(key: key, row: .string(text), schemaVersion: nil))
      }
      return true
    }
    return rows
  }

  /// Keeps a row as it came; of one that is very long the beginning, and as text what could not be read back.
  mutating func quarantine(_ row: JSON, _ configuration: OutboxConfiguration, under key: [UInt8]? = nil)
    throws
  {
    let text = if case .string(let text) = row { text } else { row.text() }
    func kept(_ row: JSON) -> String {
      let kept: JSON = ["schema": .int(Int64(configuration.schemaVersion)), "row": row]
      return kept.text()
    }
    let isLong = text.utf8.count > Limits.quarantinedRowBytes
    var form = isLong ? "" : kept(row)
    if isLong || (try? JSON(parsing: form)) == nil {
      form = kept(.string(text.cut(toBytes: Limits.quarantinedRowBytes)))
    }
    try keep(form, under: LocalKey(quarantineSpace, key ?? QuarantinedRow.key(of: row, text)))
    try keep(number: Int64(configuration.schemaVersion), as: "quarantine")
  }

  /// Whether anything is kept.
  func hasQuarantine() throws -> Bool {
    var isEmpty = true
    try forEachKept(in: quarantineSpace) { _, _ in
      isEmpty = false
      return false
    }
    return !isEmpty
  }

  /// Takes in rows; those that hold what cannot be understood are kept as they came, until a later row of their id can
  /// be.
  ///
  /// - Returns: how many are kept as they came.
  @discardableResult
  mutating func takeOrQuarantine(_ rows: [ServerRow], _ configuration: OutboxConfiguration) throws -> Int {
    let hasQuarantine = try hasQuarantine()
    var kept = 0
    for row in rows {
      do {
        try take(row, configuration)
        guard hasQuarantine else { continue }
        try keep(nil, under: LocalKey(quarantineSpace, QuarantinedRow.key(row.entity, row.id)))
      } catch is JSONError {
        try quarantine(row.json, configuration)
        kept += 1
      }
    }
    return kept
  }

  /// Tries the rows again that were kept under another schema version of the application.
  mutating func readQuarantineAgain(_ configuration: OutboxConfiguration) throws {
    let version = Int64(configuration.schemaVersion)
    guard try number("quarantine") != version, try hasQuarantine() else { return }
    for kept in try quarantine() where kept.schemaVersion != configuration.schemaVersion {
      if let row = ServerRow(kept.json) {
        try keep(nil, under: LocalKey(quarantineSpace, kept.key))
        try takeOrQuarantine([row], configuration)
      } else {
        try quarantine(kept.row, configuration, under: kept.key)
      }
    }
    try keep(number: version, as: "quarantine")
  }
}

/// A row as it came, and the application's schema version then.
struct QuarantinedRow {
  var key: [UInt8]
  /// The row; as text where it could not be read, or is longer than what is kept.
  var row: JSON
  /// The version; nil where nobody can tell.
  var schemaVersion: Int?

  /// The row, also where it is text that can be read by now.
  var json: JSON {
    guard case .string(let text) = row, let json = try? JSON(parsing: text) else { return row }
    return json
  }

  /// The key of a row that says what it is about, so that a later one takes its place; else of its text, so that none
  /// takes another's.
  static func key(of row: JSON, _ text: String) -> [UInt8] {
    let object = if case .string = row { LooseObject(Array(text.utf8)) } else { nil as LooseObject? }
    func name(_ member: String) -> String? {
      (object.map { (try? $0.value(member)) ?? nil } ?? row[member])?.wireText
    }
    guard let entity = name("entity"), let id = name("id"), Collection(entity).isValid,
      ServerRow.isValid(id: id)
    else { return key("", RecordID.derived(from: text, in: "quarantine").description) }
    return key(entity, id)
  }

  /// The key of a row of an entity and an id.
  static func key(_ entity: String, _ id: String) -> [UInt8] { KeptState.pair(entity, id) }
}
