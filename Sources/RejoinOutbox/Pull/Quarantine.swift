import Rejoin
import RejoinCore

/// Rows that could not be understood: kept as they came, they do not hold the cursor.
extension ServerTransaction {
  /// A row as it came, and the application's schema version then.
  struct QuarantinedRow {
    var key: [UInt8]
    var row: JSON
    var schemaVersion: Int
  }

  private var quarantineSpace: String { "\(server)/quarantine" }

  /// Everything that is kept.
  func quarantine() throws -> [QuarantinedRow] {
    var rows: [QuarantinedRow] = []
    try forEachKept(in: quarantineSpace) { key, text in
      let json = try KeptState.parse(text)
      guard let row = json["row"], case .int(let version)? = json["schema"] else {
        throw OutboxError.damagedState("quarantine")
      }
      rows.append(QuarantinedRow(key: key, row: row, schemaVersion: Int(clamping: version)))
      return true
    }
    return rows
  }

  /// Keeps a row.
  mutating func quarantine(_ row: JSON, _ configuration: OutboxConfiguration, entity: String, id: String)
    throws
  {
    let kept: JSON = ["schema": .int(Int64(configuration.schemaVersion)), "row": row]
    try keep(kept.text(), under: LocalKey(quarantineSpace, KeptState.pair(entity, id)))
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
        try keep(nil, under: LocalKey(quarantineSpace, KeptState.pair(row.entity, row.id)))
      } catch is JSONError {
        try quarantine(row.json, configuration, entity: row.entity, id: row.id)
        kept += 1
      }
    }
    return kept
  }

  /// Tries the rows again that were kept under another schema version of the application.
  mutating func readQuarantineAgain(_ configuration: OutboxConfiguration) throws {
    for kept in try quarantine() where kept.schemaVersion != configuration.schemaVersion {
      guard let row = Wire.row(kept.row) else {
        let json: JSON = ["schema": .int(Int64(configuration.schemaVersion)), "row": kept.row]
        try keep(json.text(), under: LocalKey(quarantineSpace, kept.key))
        continue
      }
      try takeOrQuarantine([row], configuration)
    }
  }
}
