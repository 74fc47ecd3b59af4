import Rejoin
import RejoinCore

/// Unsent writes that gave way to what another device had heard from the server.
///
/// That device could not know of them what this one does: that the server never had them. So they go by their fields'
/// policies, as if the server's row had been pulled here.
extension ServerTransaction {
  /// The hidden writes that the server never had, and that are to be sent all the same.
  func hiddenUnsent(_ configuration: OutboxConfiguration) throws -> [HiddenWrite] {
    let hidden = try hiddenWrites()
    guard !hidden.isEmpty else { return [] }
    let frontier = try frontier(configuration)
    return try hidden.filter { write in
      guard configuration.includes(.record(write.record)), try isHidden(write),
        policy(of: write.field, in: write.record.collection).server != .serverWins
      else { return false }
      return (try lane(of: .record(write.record))?.acknowledged ?? frontier).awaits(write.timestamp)
    }
  }

  /// Writes them once more, above what hides them, with lanes to send them.
  ///
  /// The lane remembers when they were written first: a row that is later than that wins over them still, where the
  /// later one wins.
  mutating func writeHiddenAgain(_ configuration: OutboxConfiguration) throws {
    let unsent = try hiddenUnsent(configuration)
    for write in try hiddenWrites() where configuration.includes(.record(write.record)) { try forget(write) }
    let frontier = try frontier(configuration)
    for write in unsent {
      let subject = Subject.record(write.record)
      guard let time = try writeAgain(write) else { continue }
      if try lane(of: subject) == nil { try begin(subject, acknowledged: frontier) }
      guard var lane = try lane(of: subject) else { continue }
      let first = lane.firstMilliseconds(of: write.field, writtenAt: write.timestamp.time)
      lane.rewrites[write.field] = Lane.Rewrite(time: time, firstMilliseconds: first)
      try keep(lane)
    }
  }
}

extension Lane {
  /// A value that was written once more because another device's word for the server hid it.
  struct Rewrite: Hashable, Sendable {
    /// When it was written last.
    var time: HybridTime
    /// When it was written first, in milliseconds since the Unix epoch.
    var firstMilliseconds: Int64
  }

  /// When a value was written first, in milliseconds since the Unix epoch.
  func firstMilliseconds(of field: FieldName, writtenAt time: HybridTime) -> Int64 {
    guard let rewrite = rewrites[field], rewrite.time == time else { return time.milliseconds }
    return rewrite.firstMilliseconds
  }

  /// The form in which rewrites are kept.
  static func json(of rewrites: [FieldName: Rewrite]) -> JSON {
    .object(
      rewrites.sorted { $0.key < $1.key }.map { field, rewrite in
        JSON.Member(field.text, [.string(rewrite.time.description), .int(rewrite.firstMilliseconds)])
      })
  }

  /// Reads what was kept.
  static func rewrites(_ json: JSON) throws(OutboxError) -> [FieldName: Rewrite] {
    guard case .object(let members) = json else { throw .damagedState("lane") }
    var rewrites: [FieldName: Rewrite] = [:]
    for member in members {
      guard case .array(let parts) = member.value, parts.count == 2, case .string(let text) = parts[0],
        let time = HybridTime(text), case .int(let milliseconds) = parts[1]
      else { throw .damagedState("lane") }
      rewrites[FieldName(member.name)] = Rewrite(time: time, firstMilliseconds: milliseconds)
    }
    return rewrites
  }
}
