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

/// Whether the file was moved or deleted since it was opened; where the system cannot say, it was not.
static inline int rejoin_has_moved(sqlite3 *connection) {
  int moved = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return result == SQLITE_OK && moved;
}

/// Whether reading or locking a file failed, rather than writing one.
static inline int rejoin_is_read_failure(int code) {
  switch (code) {
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ:
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_SHMOPEN:
    case SQLITE_IOERR_SHMSIZE:
    case SQLITE_IOERR_SHMMAP:
    case SQLITE_IOERR_SHMLOCK: return 1;
    default: return 0;
  }
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
