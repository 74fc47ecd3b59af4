#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

// The few calls to the file system that SQLite does not make for us; each returns SQLite's code.

/// SQLite's code for what the system has just refused; `otherwise` where nothing says more.
static inline int rejoin_file_failure(int otherwise) {
  switch (errno) {
    case ENOSPC:
    case EDQUOT: return SQLITE_FULL;
    case EACCES:
    case EPERM:
    case EROFS: return SQLITE_READONLY;
    case EEXIST:
    case ENOENT:
    case ENOTDIR: return SQLITE_CANTOPEN;
    default: return otherwise;
  }
}

/// SQLITE_OK when there is something at a path, SQLITE_NOTFOUND when there is nothing.
static inline int rejoin_file_exists(const char *path) {
  if (access(path, F_OK) == 0) return SQLITE_OK;
  return errno == ENOENT ? SQLITE_NOTFOUND : rejoin_file_failure(SQLITE_IOERR_ACCESS);
}

/// Removes a file, if it is there.
static inline int rejoin_file_remove(const char *path) {
  return unlink(path) == 0 || errno == ENOENT ? SQLITE_OK : rejoin_file_failure(SQLITE_IOERR_DELETE);
}

/// Waits until what was written to an open file is on the disk, past any cache of the disk's own, and closes it.
static inline int rejoin_file_finish(int file) {
#ifdef F_FULLFSYNC
  int result = fcntl(file, F_FULLFSYNC);
  if (result != 0) result = fsync(file);
#else
  int result = fsync(file);
#endif
  int reason = errno;
  (void)close(file);
  errno = reason;
  return result;
}

/// Waits until a file's bytes are on the disk.
static inline int rejoin_file_sync(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  return file >= 0 && rejoin_file_finish(file) == 0 ? SQLITE_OK : rejoin_file_failure(SQLITE_IOERR_FSYNC);
}

/// Waits until the names in the folder of a path are on the disk.
///
/// Where folders cannot be opened or synced there is nothing to wait for: their names are as safe as they get.
static inline int rejoin_file_sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t count = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  char folder[4096] = ".";
  if (count >= sizeof folder) return SQLITE_CANTOPEN;
  if (count > 0) memcpy(folder, path, count);
  int file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file >= 0 && rejoin_file_finish(file) == 0) return SQLITE_OK;
  int cannot = errno == EACCES || errno == EINVAL || errno == EISDIR || errno == ENOTSUP;
  return cannot ? SQLITE_OK : rejoin_file_failure(SQLITE_IOERR_DIR_FSYNC);
}

/// Gives a file another name in its folder, which nothing bears yet: SQLITE_CANTOPEN when something does.
static inline int rejoin_file_rename(const char *path, const char *other) {
  int result = -1;
  errno = ENOSYS;
#if defined(__APPLE__)
  result = renamex_np(path, other, RENAME_EXCL);
#elif defined(SYS_renameat2)
  const unsigned no_replace = 1;
  result = (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, no_replace);
#endif
  // Where the file system cannot refuse to replace a file, asking first has to do.
  if (result != 0 && (errno == ENOSYS || errno == EINVAL || errno == ENOTSUP)) {
    int found = rejoin_file_exists(other);
    if (found != SQLITE_NOTFOUND) return found == SQLITE_OK ? SQLITE_CANTOPEN : found;
    result = rename(path, other);
  }
  return result == 0 ? SQLITE_OK : rejoin_file_failure(SQLITE_IOERR);
}
