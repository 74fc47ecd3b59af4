#include "disk.h"
#include <stdlib.h>
#include <string.h>

// MARK: Locks on a file

int faulty_file_lock(struct handle *handle, int level) {
  struct node *node = handle->node;
  if (handle->level >= level) return SQLITE_OK;
  if (handle->level == SQLITE_LOCK_NONE) {
    if (node->waiting || node->exclusive) return SQLITE_BUSY;
    node->readers += 1;
    handle->level = SQLITE_LOCK_SHARED;
  }
  if (level >= SQLITE_LOCK_RESERVED) {
    if (node->reserved && node->reserved != handle) return SQLITE_BUSY;
    if (node->waiting && node->waiting != handle) return SQLITE_BUSY;
  }
  if (level == SQLITE_LOCK_RESERVED) {
    node->reserved = handle;
    handle->level = level;
  }
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    node->waiting = handle;
    handle->level = SQLITE_LOCK_PENDING;
    if (node->readers > 1) return SQLITE_BUSY;
    node->exclusive = handle;
    handle->level = level;
  }
  return SQLITE_OK;
}

void faulty_file_unlock(struct handle *handle, int level) {
  struct node *node = handle->node;
  if (handle->level <= level) return;
  if (node->exclusive == handle) node->exclusive = NULL;
  if (node->waiting == handle) node->waiting = NULL;
  if (node->reserved == handle) node->reserved = NULL;
  if (level == SQLITE_LOCK_NONE) node->readers -= 1;
  handle->level = level;
}

// MARK: Shared memory and the locks on it

static void release(struct handle *handle, int offset, int count) {
  struct shared_memory *shared = handle->shared;
  for (int slot = offset; slot < offset + count; slot++) {
    if (handle->shared_mask >> slot & 1) shared->readers[slot] -= 1;
    if (shared->writers[slot] == handle) shared->writers[slot] = NULL;
    handle->shared_mask &= ~(1u << slot);
    handle->exclusive_mask &= ~(1u << slot);
  }
}

int faulty_shared_map(struct handle *handle, int region, int size, int extend, void volatile **memory) {
  struct node *node = handle->node;
  *memory = NULL;
  if (!handle->shared) {
    if (!node->shared) {
      node->shared = faulty_allocate(NULL, sizeof *node->shared);
      memset(node->shared, 0, sizeof *node->shared);
    }
    node->shared->references += 1;
    handle->shared = node->shared;
  }
  struct shared_memory *shared = handle->shared;
  if (region >= shared->region_count) {
    if (!extend) return SQLITE_OK;
    shared->regions = faulty_allocate(shared->regions, (size_t)(region + 1) * sizeof *shared->regions);
    while (shared->region_count <= region) {
      void *made = faulty_allocate(NULL, (size_t)size);
      memset(made, 0, (size_t)size);
      shared->regions[shared->region_count++] = made;
    }
  }
  *memory = shared->regions[region];
  return SQLITE_OK;
}

int faulty_shared_lock(struct handle *handle, int offset, int count, int flags) {
  struct shared_memory *shared = handle->shared;
  if (!shared) return SQLITE_IOERR_SHMLOCK;
  if (flags & SQLITE_SHM_UNLOCK) {
    release(handle, offset, count);
    return SQLITE_OK;
  }
  for (int slot = offset; slot < offset + count; slot++) {
    int own = (int)(handle->shared_mask >> slot & 1);
    if (shared->writers[slot] && shared->writers[slot] != handle) return SQLITE_BUSY;
    if (flags & SQLITE_SHM_EXCLUSIVE && shared->readers[slot] > own) return SQLITE_BUSY;
  }
  for (int slot = offset; slot < offset + count; slot++) {
    if (flags & SQLITE_SHM_EXCLUSIVE) {
      shared->writers[slot] = handle;
      handle->exclusive_mask |= 1u << slot;
    } else if (!(handle->shared_mask >> slot & 1)) {
      shared->readers[slot] += 1;
      handle->shared_mask |= 1u << slot;
    }
  }
  return SQLITE_OK;
}

void faulty_shared_unmap(struct handle *handle) {
  struct shared_memory *shared = handle->shared;
  if (!shared) return;
  release(handle, 0, SQLITE_SHM_NLOCK);
  handle->shared = NULL;
  if (--shared->references > 0) return;
  if (handle->node->shared == shared) handle->node->shared = NULL;
  for (int region = 0; region < shared->region_count; region++) free(shared->regions[region]);
  free(shared->regions);
  free(shared);
}
