#pragma once
#include <stdint.h>

/// Disks in memory under SQLite, whose every operation can fail.
///
/// A disk is named by a number; the file NAME on it is "faulty/NUMBER/NAME" to SQLite, opened with the VFS "faulty", or with
/// "faulty-unshared", which lacks shared memory, so that SQLite cannot have a write-ahead log.
/// Of each file the disk knows the bytes as written and the bytes that survive a power cut: those that were
/// synced. Any thread may use any disk; a disk is one thread's at a time only as far as its operations are numbered.

/// What goes wrong.
enum faulty_kind {
  /// Nothing.
  FAULTY_NONE = 0,
  /// The system reports an error; of a write the first half was done.
  FAULTY_IO = 1,
  /// No room is left; of a write the first half was done.
  FAULTY_FULL = 2,
  /// Somebody else holds the lock.
  FAULTY_BUSY = 3,
  /// The file system became read-only: what was opened for writing can no more be written.
  FAULTY_READ_ONLY = 4,
  /// A sync fails, and what it should have written never reaches the disk, not even by the next sync.
  FAULTY_LOST_SYNC = 5,
  /// The power fails: nothing works until the restart, and what was not synced survives in part or not at all.
  FAULTY_POWER_CUT = 6,
  /// The process dies: nothing works until the restart, and all that was written survives.
  FAULTY_KILL = 7,
};

/// Makes an empty disk; the first one registers the VFS.
int32_t faulty_disk_make(void);

/// Makes a disk with the same files, synced or not as they are; nobody has them open.
int32_t faulty_disk_copy(int32_t disk);

/// Forgets a disk as soon as nobody has a file of it open.
void faulty_disk_release(int32_t disk);

/// Starts to count operations at 1 anew and plans a fault for operation `at`, and with `lasting` for all after it;
/// ``FAULTY_NONE`` ends a fault.
void faulty_disk_plan(int32_t disk, enum faulty_kind kind, int64_t at, int lasting);

/// How many operations there were since the last plan.
int64_t faulty_disk_operations(int32_t disk);

/// Whether a fault of this kind can strike an operation since the last plan.
int faulty_disk_applies(int32_t disk, int64_t operation, enum faulty_kind kind);

/// Whether the planned fault has struck.
int faulty_disk_has_struck(int32_t disk);

/// Starts the disk again: whoever had files open before gets nothing but errors from them, locks and shared memory
/// are gone. With `power_cut` the seed decides what survives of that which was not synced.
void faulty_disk_restart(int32_t disk, int power_cut, uint64_t seed);

// Calls to the file system beside SQLite's; each is an operation, takes a path as SQLite does and returns its code.

/// Looks whether there is a file: SQLITE_NOTFOUND when there is none.
int32_t faulty_file_look_up(const char *path);

/// Removes a file, if it is there.
int32_t faulty_file_remove(const char *path);

/// Makes a file's bytes durable, and its name unless it was renamed.
int32_t faulty_file_sync(const char *path);

/// Makes durable what every name on the disk of a path stands for.
int32_t faulty_folder_sync(const char *path);

/// Gives a file another name on its disk, unless something bears it.
int32_t faulty_file_rename(const char *path, const char *other);

/// The size of a file as written; -1 when there is none.
int64_t faulty_disk_size(int32_t disk, const char *name);

/// A byte of a file as written; -1 when there is none.
int32_t faulty_disk_byte(int32_t disk, const char *name, int64_t offset);

/// Replaces a byte of a file, as a failing medium does: as written, and as synced where it is that far.
void faulty_disk_set_byte(int32_t disk, const char *name, int64_t offset, uint8_t byte);
