import Rejoin
import RejoinCore

/// The one check that every row of a server passes, of pages and of answers, before anything of it is kept.
extension ServerTransaction {
  /// Refuses a row that could not be kept, whatever the record holds.
  func check(_ row: ServerRow, about subject: Subject) throws {
    let hasRoom: Bool
    switch subject {
    case .record(let key):
      try row.checkLimits()
      hasRoom = try self.hasRoom(for: key.collection)
    case .entry(let key):
      try row.checkLimits(isEntry: true)
      hasRoom = try self.hasRoom(for: key.log)
    }
    guard hasRoom else {
      throw JSONError(.overLimit("number of collections", limit: Limits.collectionsByServers))
    }
  }

  /// Refuses a row that would make the record larger than local writes may, or that it could not follow.
  ///
  /// What the record has anyway does not count: it may have come to more by merges.
  func check(_ row: ServerRow, over record: ServedRecord?) throws {
    guard let record else { return }
    guard !isOutOfLives(record) || record.isAlive != row.isDeleted else {
      throw JSONError(.overLimit("lives of a record", limit: Int(Limits.lives)))
    }
    guard record.registerCount + row.fields.count > Limits.registersPerRecord else { return }
    var news = 0
    for member in row.fields where record.fields[FieldName(member.name)] == nil { news += 1 }
    guard news == 0 || record.registerCount + news <= Limits.registersPerRecord else {
      throw JSONError(.overLimit("fields of a record", limit: Limits.registersPerRecord))
    }
  }

  /// Refuses what would be too much to be taken in at once later.
  func check(_ shadow: Shadow) throws {
    guard shadow.fields.count <= Limits.registersPerRecord else {
      throw JSONError(.overLimit("fields of a record", limit: Limits.registersPerRecord))
    }
  }
}
