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

/// What the names on a disk stand for survives a power cut from here on.
static void sync_names(struct disk *disk, const struct node *only) {
  for (size_t index = 0; index < disk->entry_count; index++) {
    struct entry *entry = &disk->entries[index];
    if (entry->synced == entry->now || (only && entry->now != only)) continue;
    faulty_node_let_go(entry->synced);
    entry->synced = faulty_node_retain(entry->now);
  }
}

/// A sync makes the file durable with its name, and the first one of a journal the whole folder, as SQLite's VFS
/// for Unix does it: until then files that were deleted may come back.
static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  struct handle *handle = handle_of(file);
  struct verdict verdict = begin(handle, OPERATION_SYNC);
  struct disk *disk = handle->disk;
  if (verdict.code == SQLITE_OK) {
    faulty_node_sync(handle->node);
    if (disk) sync_names(disk, handle->syncs_folder ? NULL : handle->node);
    handle->syncs_folder = 0;
  } else if (disk && disk->kind == FAULTY_LOST_SYNC && !disk->is_down) {
    faulty_node_forget_pending(handle->node);
  }
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

static const sqlite3_io_methods methods = {
  .iVersion = 2,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_sync,
  .xFileSize = file_size,
  .xLock = file_lock,
  .xUnlock = file_unlock,
  .xCheckReservedLock = file_check_lock,
  .xFileControl = file_control,
  .xSectorSize = file_sector_size,
  .xDeviceCharacteristics = file_characteristics,
  .xShmMap = file_shared_map,
  .xShmLock = file_shared_lock,
  .xShmBarrier = file_shared_barrier,
  .xShmUnmap = file_shared_unmap,
};

// MARK: The VFS

/// The disk of a path and the name on it; nothing when the path is of another form.
static struct disk *locate(const char *path, const char **name) {
  static const char prefix[] = "faulty/";
  if (strncmp(path, prefix, sizeof prefix - 1) != 0) return NULL;
  char *after;
  long number = strtol(path + sizeof prefix - 1, &after, 10);
  if (*after != '/') return NULL;
  *name = after + 1;
  return faulty_disk_retain((int32_t)number);
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  struct handle *handle = handle_of(file);
  memset(handle, 0, sizeof *handle);
  if (out_flags) *out_flags = flags;
  if (!path) {
    handle->node = faulty_node_make();
    handle->base.pMethods = &methods;
    return SQLITE_OK;
  }
  const char *name = "";
  struct disk *disk = locate(path, &name);
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
  }
  if (code == SQLITE_OK) {
    handle->disk = disk;
    handle->generation = disk->generation;
    handle->node = faulty_node_retain(entry->now);
    handle->syncs_folder = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
    handle->base.pMethods = &methods;
  }
  faulty_unlock(disk);
  if (code != SQLITE_OK) faulty_disk_let_go(disk);
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int is_synced) {
  (void)vfs;
  const char *name = "";
  struct disk *disk = locate(path, &name);
  if (!disk) return SQLITE_IOERR_DELETE;
  faulty_lock(disk);
  int code = faulty_count(disk, OPERATION_DELETE).code;
  struct entry *entry = faulty_entry(disk, name, 0);
  if (code == SQLITE_OK && (!entry || !entry->now)) code = SQLITE_IOERR_DELETE_NOENT;
  if (code == SQLITE_OK) {
    faulty_node_let_go(entry->now);
    entry->now = NULL;
    if (is_synced) sync_names(disk, NULL);
  }
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  (void)vfs;
  *result = 0;
  const char *name = "";
  struct disk *disk = locate(path, &name);
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
  static sqlite3_vfs vfs = {
    .iVersion = 1,
    .szOsFile = sizeof(struct handle),
    .mxPathname = 512,
    .zName = "faulty",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_current_time,
    .xGetLastError = vfs_last_error,
  };
  sqlite3_initialize();
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  if (!vfs.pAppData) {
    vfs.pAppData = sqlite3_vfs_find(NULL);
    sqlite3_vfs_register(&vfs, 0);
  }
  sqlite3_mutex_leave(mutex);
}
