import CSQLite

/// The few calls to the file system that SQLite does not make for us.
enum FileSystem {
  /// Whether there is something at a path.
  static func exists(_ path: String) -> Bool { unsafe rejoin_file_exists(path) != 0 }

  /// Removes a file, if it is there.
  static func remove(_ path: String) {
    unsafe rejoin_file_remove(path)
  }

  /// Waits until a file's bytes are on the disk; says whether they are.
  static func sync(_ path: String) -> Bool { unsafe rejoin_file_sync(path) == 0 }

  /// Gives a file another name, which nothing bears yet, and waits until that is on the disk.
  static func rename(_ path: String, to other: String) -> Bool { unsafe rejoin_file_rename(path, other) == 0 }
}
