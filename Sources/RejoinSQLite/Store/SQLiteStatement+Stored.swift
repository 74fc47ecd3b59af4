import Rejoin

/// Numbers as the library stored them: whatever else a damaged file holds in their place is told, never computed with.
extension SQLiteStatement {
  /// A whole number; SQLite would turn anything else into one.
  func number(at column: Int, of what: String) throws(StoreError) -> Int64 {
    guard type(at: column) == .integer else { throw damaged(what) }
    return int64(at: column)
  }

  /// A number that still has a successor.
  func counter(at column: Int, of what: String) throws(StoreError) -> Int64 {
    let number = try number(at: column, of: what)
    guard 0..<Int64.max ~= number else { throw damaged(what) }
    return number
  }

  /// A time that a clock can have issued.
  func time(at column: Int, of what: String) throws(StoreError) -> HybridTime {
    let time = HybridTime(sortable: try number(at: column, of: what))
    guard time.milliseconds <= Limits.wallMilliseconds else { throw damaged(what) }
    return time
  }

  /// A replica's id.
  func replica(at column: Int, of what: String) throws(StoreError) -> ReplicaID {
    ReplicaID(sortable: try number(at: column, of: what))
  }

  private func damaged(_ what: String) -> StoreError { .damaged(path: path, what: what) }
}
