#include "disk.h"

/// What SQLite's own VFS for Unix returns when an operation fails.
static int failure(enum operation operation) {
  switch (operation) {
    case OPERATION_OPEN:
    case OPERATION_CREATE:
    case OPERATION_CREATE_JOURNAL: return SQLITE_CANTOPEN;
    case OPERATION_DELETE: return SQLITE_IOERR_DELETE;
    case OPERATION_ACCESS: return SQLITE_IOERR_ACCESS;
    case OPERATION_READ: return SQLITE_IOERR_READ;
    case OPERATION_WRITE: return SQLITE_IOERR_WRITE;
    case OPERATION_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case OPERATION_SYNC: return SQLITE_IOERR_FSYNC;
    case OPERATION_SIZE: return SQLITE_IOERR_FSTAT;
    case OPERATION_LOCK: return SQLITE_IOERR_LOCK;
    case OPERATION_UNLOCK: return SQLITE_IOERR_UNLOCK;
    case OPERATION_CHECK_LOCK: return SQLITE_IOERR_CHECKRESERVEDLOCK;
    case OPERATION_MAP: return SQLITE_IOERR_SHMMAP;
    case OPERATION_EXTEND: return SQLITE_IOERR_SHMSIZE;
    case OPERATION_SHARED_LOCK: return SQLITE_IOERR_SHMLOCK;
    case OPERATION_SHARED_UNLOCK: return SQLITE_IOERR_SHMLOCK;
    case OPERATION_RENAME: return SQLITE_IOERR;
    case OPERATION_SYNC_FOLDER: return SQLITE_IOERR_DIR_FSYNC;
  }
  return SQLITE_IOERR;
}

static int makes_file(enum operation operation) {
  return operation == OPERATION_CREATE || operation == OPERATION_CREATE_JOURNAL;
}

/// What an operation returns under a fault; SQLITE_OK when the fault has nothing to do with it.
///
/// Giving a lock back does not fail: a system that refuses that has no way to go on.
static int code(enum faulty_kind kind, enum operation operation) {
  int is_unlock = operation == OPERATION_UNLOCK || operation == OPERATION_SHARED_UNLOCK;
  switch (kind) {
    case FAULTY_NONE: return SQLITE_OK;
    case FAULTY_IO: return is_unlock ? SQLITE_OK : failure(operation);
    case FAULTY_POWER_CUT:
    case FAULTY_KILL: return failure(operation);
    case FAULTY_FULL:
      if (operation == OPERATION_WRITE || operation == OPERATION_RENAME) return SQLITE_FULL;
      return makes_file(operation) || operation == OPERATION_EXTEND ? failure(operation) : SQLITE_OK;
    case FAULTY_BUSY:
      return operation == OPERATION_LOCK || operation == OPERATION_SHARED_LOCK ? SQLITE_BUSY : SQLITE_OK;
    case FAULTY_READ_ONLY:
      if (operation == OPERATION_CREATE_JOURNAL) return SQLITE_READONLY_DIRECTORY;
      if (operation == OPERATION_RENAME) return SQLITE_READONLY;
      // Not SQLITE_READONLY: of a write that fails so SQLite believes that nothing was begun.
      return operation == OPERATION_WRITE || operation == OPERATION_TRUNCATE || operation == OPERATION_CREATE
              || operation == OPERATION_DELETE
          ? failure(operation) : SQLITE_OK;
    case FAULTY_LOST_SYNC:
      return operation == OPERATION_SYNC || operation == OPERATION_SYNC_FOLDER ? failure(operation) : SQLITE_OK;
  }
  return SQLITE_OK;
}

static uint8_t applying(enum operation operation) {
  unsigned bits = 0;
  for (unsigned kind = FAULTY_IO; kind <= FAULTY_KILL; kind++) {
    if (code((enum faulty_kind)kind, operation) != SQLITE_OK) bits |= 1u << kind;
  }
  return (uint8_t)bits;
}

struct verdict faulty_count(struct disk *disk, enum operation operation) {
  struct verdict verdict = {SQLITE_OK, 0};
  if (disk->is_down) {
    verdict.code = failure(operation);
    return verdict;
  }
  if (disk->operation_count == disk->operation_capacity) {
    disk->operation_capacity = disk->operation_capacity ? disk->operation_capacity * 2 : 256;
    disk->applying = faulty_allocate(disk->applying, (size_t)disk->operation_capacity);
  }
  disk->applying[disk->operation_count++] = applying(operation);
  int64_t number = disk->operation_count;
  if (number < disk->at || (number > disk->at && !disk->is_lasting)) return verdict;
  verdict.code = code(disk->kind, operation);
  if (verdict.code == SQLITE_OK) return verdict;
  disk->has_struck = 1;
  disk->is_down = disk->kind == FAULTY_POWER_CUT || disk->kind == FAULTY_KILL;
  verdict.is_torn = disk->kind == FAULTY_IO || disk->kind == FAULTY_FULL || disk->kind == FAULTY_POWER_CUT;
  return verdict;
}

// MARK: What tests call

void faulty_disk_plan(int32_t number, enum faulty_kind kind, int64_t at, int lasting) {
  struct disk *disk = faulty_disk_retain(number);
  if (!disk) return;
  faulty_lock(disk);
  disk->kind = kind;
  disk->at = at;
  disk->is_lasting = lasting;
  disk->has_struck = 0;
  disk->operation_count = 0;
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
}

int64_t faulty_disk_operations(int32_t number) {
  struct disk *disk = faulty_disk_retain(number);
  faulty_lock(disk);
  int64_t count = disk ? disk->operation_count : 0;
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return count;
}

int faulty_disk_applies(int32_t number, int64_t operation, enum faulty_kind kind) {
  struct disk *disk = faulty_disk_retain(number);
  faulty_lock(disk);
  int is_counted = disk && operation >= 1 && operation <= disk->operation_count;
  int applies = is_counted && disk->applying[operation - 1] >> kind & 1;
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return applies;
}

int faulty_disk_has_struck(int32_t number) {
  struct disk *disk = faulty_disk_retain(number);
  faulty_lock(disk);
  int has_struck = disk && disk->has_struck;
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return has_struck;
}
