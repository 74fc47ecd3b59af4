package import Rejoin

/// What the file keeps for its device: part of the file, of every backup of it, and of no delta.
extension SQLiteStore {
  package func local(_ key: LocalKey) throws -> String? {
    let statement = try connection.cached("SELECT text FROM rejoin_local WHERE space = ?1 AND key = ?2")
    defer { statement.reset() }
    try statement.bind(.text(key.space), at: 1)
    try statement.bind(.blob(key.key), at: 2)
    return try statement.step() ? try statement.text(at: 0) : nil
  }

  /// Reads pages of keys first: `body` may read or write in between.
  package func forEachLocal(
    in space: String, from first: [UInt8], _ body: (_ key: [UInt8], _ text: String) throws -> Bool
  ) throws {
    var from = first
    var length = 1
    while true {
      let page = try localPage(in: space, from: from, length: length)
      for (key, text) in page { guard try body(key, text) else { return } }
      guard page.count == length, let last = page.last else { return }
      // Many want only the first, or to know whether there is any.
      length = min(length * 4, SQLiteStore.localPageLength)
      // The next key in the order of bytes.
      from = last.key + [0]
    }
  }

  private static var localPageLength: Int { 64 }

  private func localPage(
    in space: String, from first: [UInt8], length: Int
  ) throws -> [(key: [UInt8], text: String)] {
    let statement = try connection.cached(
      "SELECT key, text FROM rejoin_local WHERE space = ?1 AND key >= ?2 ORDER BY key LIMIT ?3")
    defer { statement.reset() }
    try statement.bind(.text(space), at: 1)
    try statement.bind(.blob(first), at: 2)
    try statement.bind(.int(Int64(length)), at: 3)
    var page: [(key: [UInt8], text: String)] = []
    while try statement.step() { page.append((try statement.blob(at: 0), try statement.text(at: 1))) }
    return page
  }

  func apply(_ writes: [LocalWrite]) throws {
    guard !writes.isEmpty else { return }
    let insert = try connection.cached(
      "INSERT INTO rejoin_local(space, key, text) VALUES(?1, ?2, ?3) "
        + "ON CONFLICT(space, key) DO UPDATE SET text = excluded.text")
    for write in writes {
      if let text = write.text {
        try insert.run(.text(write.key.space), .blob(write.key.key), .text(text))
      } else {
        try connection.cached("DELETE FROM rejoin_local WHERE space = ?1 AND key = ?2")
          .run(.text(write.key.space), .blob(write.key.key))
      }
    }
  }
}
