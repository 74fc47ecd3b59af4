import CSQLite

/// What lies under SQLite, and the few calls to it that SQLite does not make for us.
///
/// A test brings its own, which sees every call and can let it fail.
package struct FileSystem: Sendable {
  /// A call to the system.
  package enum Call: Hashable, Sendable {
    /// Asks whether there is something at a path; `SQLITE_NOTFOUND` means that there is nothing.
    case lookUp(String)
    /// Removes a file, if it is there.
    case remove(String)
    /// Waits until a file's bytes are on the disk; its name need not be.
    case sync(String)
    /// Waits until the names in the folder of a path are on the disk.
    case syncFolder(of: String)
    /// Gives a file another name in its folder, and never one that something bears already.
    case rename(String, to: String)
  }

  /// SQLite's name for it; nil stands for the system's files.
  package let vfs: String?

  /// Makes a call and returns SQLite's code for what came of it.
  package let make: @Sendable (Call) -> Int32

  /// The system's files.
  package static let system = FileSystem(vfs: nil) { call in
    switch call {
    case .lookUp(let path): unsafe rejoin_file_exists(path)
    case .remove(let path): unsafe rejoin_file_remove(path)
    case .sync(let path): unsafe rejoin_file_sync(path)
    case .syncFolder(let path): unsafe rejoin_file_sync_folder(path)
    case .rename(let path, let other): unsafe rejoin_file_rename(path, other)
    }
  }

  /// Describes a file system by what its calls do.
  package init(vfs: String?, make: @escaping @Sendable (Call) -> Int32) {
    self.vfs = vfs
    self.make = make
  }

  /// Whether there is something at a path.
  func exists(_ path: String) throws(SQLiteError) -> Bool {
    let code = make(.lookUp(path))
    guard code != SQLITE_NOTFOUND else { return false }
    try check(code, "look up", path)
    return true
  }

  /// Removes a file, if it is there.
  func remove(_ path: String) throws(SQLiteError) {
    try check(make(.remove(path)), "remove", path)
  }

  /// Waits until a file's bytes are on the disk.
  func sync(_ path: String) throws(SQLiteError) {
    try check(make(.sync(path)), "sync", path)
  }

  /// Waits until the names in the folder of a path are on the disk.
  func syncFolder(of path: String) throws(SQLiteError) {
    try check(make(.syncFolder(of: path)), "sync folder", path)
  }

  /// Gives a file another name in its folder, which nothing bears yet.
  func rename(_ path: String, to other: String) throws(SQLiteError) {
    try check(make(.rename(path, to: other)), "rename", other)
  }

  private func check(_ code: Int32, _ operation: String, _ path: String) throws(SQLiteError) {
    guard code == SQLITE_OK else {
      throw SQLiteError(
        code: code, message: SQLiteHandle.meaning(of: code), path: path, operation: operation)
    }
  }
}
