#pragma once
#include "CFaultyDisk.h"
#include <sqlite3.h>
#include <stddef.h>

/// What is done to a disk; each is counted.
enum operation {
  OPERATION_OPEN, OPERATION_CREATE, OPERATION_CREATE_JOURNAL, OPERATION_DELETE, OPERATION_ACCESS, OPERATION_READ,
  OPERATION_WRITE, OPERATION_TRUNCATE, OPERATION_SYNC, OPERATION_SIZE, OPERATION_LOCK, OPERATION_UNLOCK,
  OPERATION_CHECK_LOCK, OPERATION_MAP, OPERATION_EXTEND, OPERATION_SHARED_LOCK, OPERATION_SHARED_UNLOCK,
  OPERATION_RENAME, OPERATION_SYNC_FOLDER,
};

/// Bytes that grow.
struct image {
  uint8_t *bytes;
  int64_t size, capacity;
};

/// A write or a truncation that no sync has made durable yet.
struct pending {
  int is_truncation;
  /// Where the write starts, or the new size.
  int64_t offset;
  int64_t count;
  uint8_t *bytes;
};

struct handle;

/// The shared memory of the connections to a database; lives as long as one of them maps it.
struct shared_memory {
  int references;
  int region_count;
  void **regions;
  int readers[SQLITE_SHM_NLOCK];
  struct handle *writers[SQLITE_SHM_NLOCK];
};

/// A file without its name; lives as long as a name or a handle refers to it.
struct node {
  int references;
  struct image written, synced;
  struct pending *pending;
  size_t pending_count, pending_capacity;
  int readers;
  struct handle *reserved, *waiting, *exclusive;
  struct shared_memory *shared;
};

/// A name on a disk, and what it stood for when the folder was last synced.
struct entry {
  char *name;
  struct node *now, *synced;
  /// Whether a rename gave it what it stands for: that becomes durable with the folder, not with the file.
  int is_renamed;
};

struct disk {
  int32_t number;
  int references;
  sqlite3_mutex *mutex;
  struct entry *entries;
  size_t entry_count, entry_capacity;

  /// Moves with every restart; handles of an earlier one are dead.
  int generation;
  int is_down;

  enum faulty_kind kind;
  int64_t at;
  int is_lasting, has_struck;
  int64_t operation_count, operation_capacity;
  /// The kinds that apply to each operation, as bits.
  uint8_t *applying;
};

/// An open file, as SQLite sees it.
struct handle {
  sqlite3_file base;
  struct disk *disk;
  int generation;
  struct node *node;
  /// Whether its next sync is one of the folder, too.
  int syncs_folder;
  int level;
  struct shared_memory *shared;
  unsigned shared_mask, exclusive_mask;
};

/// How an operation goes on.
struct verdict {
  /// What SQLite is told: SQLITE_OK to do the operation.
  int code;
  /// Whether a part of a write is done all the same.
  int is_torn;
};

// Disks
struct disk *faulty_disk_retain(int32_t number);
void faulty_disk_let_go(struct disk *disk);
void faulty_lock(struct disk *disk);
void faulty_unlock(struct disk *disk);
void *faulty_allocate(void *old, size_t size);

// Names
struct disk *faulty_locate(const char *path, const char **name);
struct entry *faulty_entry(struct disk *disk, const char *name, int make);
struct node *faulty_node_retain(struct node *node);
struct node *faulty_node_make(void);
void faulty_node_let_go(struct node *node);

void faulty_sync(struct disk *disk, struct node *node, int with_folder, int code);

// Contents
void faulty_image_write(struct image *image, int64_t offset, const void *bytes, int64_t count);
void faulty_image_truncate(struct image *image, int64_t size);
void faulty_node_write(struct node *node, int64_t offset, const void *bytes, int64_t count);
void faulty_node_truncate(struct node *node, int64_t size);
void faulty_node_sync(struct node *node);
void faulty_node_forget_pending(struct node *node);
struct node *faulty_node_copy(const struct node *node);
void faulty_node_cut_power(struct node *node, uint64_t *random);
uint64_t faulty_random(uint64_t *state);

// Faults
struct verdict faulty_count(struct disk *disk, enum operation operation);

// Locks
int faulty_file_lock(struct handle *handle, int level);
void faulty_file_unlock(struct handle *handle, int level);
int faulty_shared_map(struct handle *handle, int region, int size, int extend, void volatile **memory);
int faulty_shared_lock(struct handle *handle, int offset, int count, int flags);
void faulty_shared_unmap(struct handle *handle);

void faulty_register(void);
