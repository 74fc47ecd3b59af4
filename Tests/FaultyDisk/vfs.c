#include "disk.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct handle *handle_of(sqlite3_file *file) { return (struct handle *)file; }

/// Counts an operation on an open file; a handle from before a restart gets nothing but errors.
///
/// A file without a name belongs to no disk and never fails.
static struct verdict begin(struct handle *handle, enum operation operation) {
  struct verdict verdict = {SQLITE_OK, 0};
  if (!handle->disk) return verdict;
  faulty_lock(handle->disk);
  if (handle->generation == handle->disk->generation) return faulty_count(handle->disk, operation);
  verdict.code = SQLITE_IOERR;
  return verdict;
}

static int end(struct handle *handle, int code) {
  faulty_unlock(handle->disk);
  return code;
}

// MARK: Files

static int file_close(sqlite3_file *file) {
  struct handle *handle = handle_of(file);
  faulty_lock(handle->disk);
  faulty_file_unlock(handle, SQLITE_LOCK_NONE);
  faulty_shared_unmap(handle);
  faulty_node_let_go(handle->node);
  faulty_unlock(handle->disk);
  faulty_disk_let_go(handle->disk);
  return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_READ);
  if (verdict.code != SQLITE_OK) return end(handle, verdict.code);
  const struct image *image = &handle->node->written;
  int64_t available = offset < image->size ? image->size - offset : 0;
  if (available > count) available = count;
  if (available > 0) memcpy(buffer, image->bytes + offset, (size_t)available);
  memset((char *)buffer + available, 0, (size_t)(count - available));
  return end(handle, available < count ? SQLITE_IOERR_SHORT_READ : SQLITE_OK);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_WRITE);
  if (verdict.is_torn) count /= 2;
  if (verdict.code == SQLITE_OK || verdict.is_torn) faulty_node_write(handle->node, offset, bytes, count);
  return end(handle, verdict.code);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_TRUNCATE);
  if (verdict.code == SQLITE_OK) faulty_node_truncate(handle->node, size);
  return end(handle, verdict.code);
}

/// A sync makes the file durable with its name, and the first one of a journal the whole folder, as SQLite's VFS
/// for Unix does it: until then files that were deleted may come back.
static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_SYNC);
  faulty_sync(handle->disk, handle->node, handle->syncs_folder, verdict.code);
  if (verdict.code == SQLITE_OK) handle->syncs_folder = 0;
  return end(handle, verdict.code);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_SIZE);
  if (verdict.code == SQLITE_OK) *size = handle->node->written.size;
  return end(handle, verdict.code);
}

static int file_lock(sqlite3_file *file, int level) {
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_LOCK);
  return end(handle, verdict.code == SQLITE_OK ? faulty_file_lock(handle, level) : verdict.code);
}

static int file_unlock(sqlite3_file *file, int level) {
  struct handle *handle = handle_of(file);
  begin(handle, OPERATION_UNLOCK);
  faulty_file_unlock(handle, level);
  return end(handle, SQLITE_OK);
}

static int file_check_lock(sqlite3_file *file, int *is_reserved) {
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_CHECK_LOCK);
  *is_reserved = verdict.code == SQLITE_OK && handle->node->reserved != NULL;
  return end(handle, verdict.code);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  (void)file, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *file) {
  (void)file;
  return 4096;
}

/// As SQLite's VFS for Unix: a write never changes bytes beside it, not even when the power fails.
static int file_characteristics(sqlite3_file *file) {
  (void)file;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_shared_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  struct handle *handle = handle_of(file);
  int is_made = handle->shared && region < handle->shared->region_count;
  struct verdict verdict = begin(handle, extend && !is_made ? OPERATION_EXTEND : OPERATION_MAP);
  if (verdict.code != SQLITE_OK) *memory = NULL;
  else verdict.code = faulty_shared_map(handle, region, size, extend, memory);
  return end(handle, verdict.code);
}

static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
  struct handle *handle = handle_of(file);
  int is_unlock = (flags & SQLITE_SHM_UNLOCK) != 0;
  struct verdict verdict = begin(handle, is_unlock ? OPERATION_SHARED_UNLOCK : OPERATION_SHARED_LOCK);
  if (verdict.code == SQLITE_OK || is_unlock) verdict.code = faulty_shared_lock(handle, offset, count, flags);
  return end(handle, verdict.code);
}

static void file_shared_barrier(sqlite3_file *file) {
  (void)file;
  atomic_thread_fence(memory_order_seq_cst);
}

static int file_shared_unmap(sqlite3_file *file, int is_deleted) {
  (void)is_deleted;
  struct handle *handle = handle_of(file);
  faulty_lock(handle->disk);
  faulty_shared_unmap(handle);
  return end(handle, SQLITE_OK);
}

#define FILE_METHODS                                                                                            \
  .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate,                   \
  .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_unlock,                       \
  .xCheckReservedLock = file_check_lock, .xFileControl = file_control, .xSectorSize = file_sector_size,         \
  .xDeviceCharacteristics = file_characteristics

static const sqlite3_io_methods shared_methods = {
  .iVersion = 2,
  FILE_METHODS,
  .xShmMap = file_shared_map,
  .xShmLock = file_shared_lock,
  .xShmBarrier = file_shared_barrier,
  .xShmUnmap = file_shared_unmap,
};

/// Of a system without shared memory, such as some network file systems: no write-ahead log there.
static const sqlite3_io_methods unshared_methods = {.iVersion = 1, FILE_METHODS};

// MARK: The VFS

static sqlite3_vfs vfs_table[2];

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  const sqlite3_io_methods *methods = vfs == &vfs_table[0] ? &shared_methods : &unshared_methods;
  struct handle *handle = handle_of(file);
  memset(handle, 0, sizeof *handle);
  if (out_flags) *out_flags = flags;
  if (!path) {
    handle->node = faulty_node_make();
    handle->base.pMethods = methods;
    return SQLITE_OK;
  }
  const char *name = "";
  struct disk *disk = faulty_locate(path, &name);
  if (!disk) return SQLITE_CANTOPEN;
  faulty_lock(disk);
  struct entry *entry = faulty_entry(disk, name, 1);
  enum operation operation = OPERATION_OPEN;
  if (!entry->now) {
    operation = flags & SQLITE_OPEN_MAIN_DB ? OPERATION_CREATE : OPERATION_CREATE_JOURNAL;
  }
  int code = faulty_count(disk, operation).code;
  if (code == SQLITE_OK && !entry->now) {
    if (flags & SQLITE_OPEN_CREATE) entry->now = faulty_node_make();
    else code = SQLITE_CANTOPEN;
    entry->is_renamed = 0;
  }
  if (code == SQLITE_OK) {
    handle->disk = disk;
    handle->generation = disk->generation;
    handle->node = faulty_node_retain(entry->now);
    handle->syncs_folder = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
    handle->base.pMethods = methods;
  }
  faulty_unlock(disk);
  if (code != SQLITE_OK) faulty_disk_let_go(disk);
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int is_synced) {
  (void)vfs;
  const char *name = "";
  struct disk *disk = faulty_locate(path, &name);
  if (!disk) return SQLITE_IOERR_DELETE;
  faulty_lock(disk);
  int code = faulty_count(disk, OPERATION_DELETE).code;
  struct entry *entry = faulty_entry(disk, name, 0);
  if (code == SQLITE_OK && (!entry || !entry->now)) code = SQLITE_IOERR_DELETE_NOENT;
  if (code == SQLITE_OK) {
    faulty_node_let_go(entry->now);
    entry->now = NULL;
    // An operation of its own: a process may die in between.
    if (is_synced) {
      code = faulty_count(disk, OPERATION_SYNC_FOLDER).code;
      faulty_sync(disk, NULL, 1, code);
    }
  }
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs;
  *result = 0;
  const char *name = "";
  struct disk *disk = faulty_locate(path, &name);
  if (!disk) return SQLITE_OK;
  faulty_lock(disk);
  int code = faulty_count(disk, OPERATION_ACCESS).code;
  struct entry *entry = faulty_entry(disk, name, 0);
  // As SQLite's VFS for Unix: an empty file counts as none.
  int is_there = entry && entry->now && (flags != SQLITE_ACCESS_EXISTS || entry->now->written.size > 0);
  *result = code == SQLITE_OK && is_there;
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return code;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  (void)vfs;
  sqlite3_snprintf(size, full, "%s", path);
  return strlen(path) < (size_t)size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/// The rest is the default VFS's business, but for waiting: nothing changes while a test waits for itself.
static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return system_vfs(vfs)->xRandomness(system_vfs(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}

static int vfs_current_time(sqlite3_vfs *vfs, double *days) {
  return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *message) {
  (void)vfs, (void)size, (void)message;
  return 0;
}

void faulty_register(void) {
  static const char *const names[] = {"faulty", "faulty-unshared"};
  sqlite3_initialize();
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  for (int index = 0; index < 2; index++) {
    sqlite3_vfs *vfs = &vfs_table[index];
    if (vfs->pAppData) continue;
    *vfs = (sqlite3_vfs){
      .iVersion = 1,
      .szOsFile = sizeof(struct handle),
      .mxPathname = 512,
      .zName = names[index],
      .pAppData = sqlite3_vfs_find(NULL),
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_current_time,
      .xGetLastError = vfs_last_error,
    };
    sqlite3_vfs_register(vfs, 0);
  }
  sqlite3_mutex_leave(mutex);
}
