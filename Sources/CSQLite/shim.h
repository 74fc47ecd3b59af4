#pragma once
#include <sqlite3.h>

/// SQLite copies the bytes before the call returns. The macro SQLITE_TRANSIENT is not visible to Swift.
/// An empty text stays a text: a null pointer would bind NULL.
static inline int rejoin_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  const char *text = bytes ? (const char *)bytes : "";
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// As above, for blobs. An empty blob stays a blob: a null pointer would bind NULL.
static inline int rejoin_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Keeps SQL from damaging the file on purpose, and a quoted name without a column from being taken for a text.
///
/// Swift does not import C functions with variable arguments.
static inline int rejoin_config_defensive(sqlite3 *connection) {
  int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  return result;
}

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Whether there is something at a path.
static inline int rejoin_file_exists(const char *path) { return access(path, F_OK) == 0; }

/// Removes a file, if it is there.
static inline void rejoin_file_remove(const char *path) { (void)unlink(path); }

/// Waits until the bytes of a file, or the names in a folder, are on the disk; 0 when they are.
static inline int rejoin_file_sync(const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0) return -1;
#ifdef F_FULLFSYNC
  int result = fcntl(file, F_FULLFSYNC);
  if (result < 0) result = fsync(file);
#else
  int result = fsync(file);
#endif
  (void)close(file);
  return result;
}

/// Gives a file another name in the same folder, and waits until the folder is on the disk; 0 when it is.
static inline int rejoin_file_rename(const char *path, const char *other) {
  if (rename(path, other) != 0) return -1;
  char folder[4096];
  const char *slash = strrchr(other, '/');
  size_t count = slash == NULL ? 0 : (size_t)(slash - other) + 1;
  if (count >= sizeof folder) return 0;
  if (count == 0) {
    folder[0] = '.';
    count = 1;
  } else {
    memcpy(folder, other, count);
  }
  folder[count] = 0;
  // Not every file system lets folders be synced; the name is there all the same.
  (void)rejoin_file_sync(folder);
  return 0;
}
