#include "disk.h"
#include <stdlib.h>
#include <string.h>

/// The disks by number; guarded by the registry's mutex.
static struct disk **disks;
static int32_t disk_count;

static sqlite3_mutex *registry(void) { return sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1); }

void faulty_lock(struct disk *disk) {
  if (disk) sqlite3_mutex_enter(disk->mutex);
}

void faulty_unlock(struct disk *disk) {
  if (disk) sqlite3_mutex_leave(disk->mutex);
}

static struct disk *make_disk(void) {
  faulty_register();
  struct disk *disk = faulty_allocate(NULL, sizeof *disk);
  memset(disk, 0, sizeof *disk);
  disk->references = 1;
  disk->mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
  sqlite3_mutex_enter(registry());
  disk->number = disk_count++;
  disks = faulty_allocate(disks, (size_t)disk_count * sizeof *disks);
  disks[disk->number] = disk;
  sqlite3_mutex_leave(registry());
  return disk;
}

struct disk *faulty_disk_retain(int32_t number) {
  sqlite3_mutex_enter(registry());
  struct disk *disk = number >= 0 && number < disk_count ? disks[number] : NULL;
  if (disk) disk->references += 1;
  sqlite3_mutex_leave(registry());
  return disk;
}

void faulty_disk_let_go(struct disk *disk) {
  if (!disk) return;
  sqlite3_mutex_enter(registry());
  int is_last = --disk->references == 0;
  if (is_last) disks[disk->number] = NULL;
  sqlite3_mutex_leave(registry());
  if (!is_last) return;
  for (size_t index = 0; index < disk->entry_count; index++) {
    free(disk->entries[index].name);
    faulty_node_let_go(disk->entries[index].now);
    faulty_node_let_go(disk->entries[index].synced);
  }
  free(disk->entries);
  free(disk->applying);
  sqlite3_mutex_free(disk->mutex);
  free(disk);
}

/// The disk of a path and the name on it; nothing when the path is of another form.
struct disk *faulty_locate(const char *path, const char **name) {
  static const char prefix[] = "faulty/";
  if (strncmp(path, prefix, sizeof prefix - 1) != 0) return NULL;
  char *after;
  long number = strtol(path + sizeof prefix - 1, &after, 10);
  if (*after != '/') return NULL;
  *name = after + 1;
  return faulty_disk_retain((int32_t)number);
}

struct entry *faulty_entry(struct disk *disk, const char *name, int make) {
  for (size_t index = 0; index < disk->entry_count; index++) {
    if (strcmp(disk->entries[index].name, name) == 0) return &disk->entries[index];
  }
  if (!make) return NULL;
  if (disk->entry_count == disk->entry_capacity) {
    disk->entry_capacity = disk->entry_capacity ? disk->entry_capacity * 2 : 4;
    disk->entries = faulty_allocate(disk->entries, disk->entry_capacity * sizeof *disk->entries);
  }
  struct entry *entry = &disk->entries[disk->entry_count++];
  memset(entry, 0, sizeof *entry);
  entry->name = faulty_allocate(NULL, strlen(name) + 1);
  memcpy(entry->name, name, strlen(name) + 1);
  return entry;
}

/// A file's bytes become durable with its name, and with the folder all names do: until then what was deleted may
/// come back, and a rename may be undone.
///
/// Under a fault, given by its code, nothing does; and what a lost sync should have written never will.
void faulty_sync(struct disk *disk, struct node *node, int with_folder, int code) {
  if (code != SQLITE_OK) {
    if (node && disk && disk->kind == FAULTY_LOST_SYNC && !disk->is_down) faulty_node_forget_pending(node);
    return;
  }
  if (node) faulty_node_sync(node);
  for (size_t index = 0; disk && index < disk->entry_count; index++) {
    struct entry *entry = &disk->entries[index];
    int is_reached = with_folder || (entry->now == node && !entry->is_renamed);
    if (!is_reached || entry->synced == entry->now) continue;
    faulty_node_let_go(entry->synced);
    entry->synced = faulty_node_retain(entry->now);
  }
}

// MARK: What tests call

int32_t faulty_disk_make(void) { return make_disk()->number; }

int32_t faulty_disk_copy(int32_t number) {
  struct disk *disk = faulty_disk_retain(number);
  struct disk *copy = make_disk();
  faulty_lock(disk);
  for (size_t index = 0; disk && index < disk->entry_count; index++) {
    struct entry *from = &disk->entries[index];
    struct entry *to = faulty_entry(copy, from->name, 1);
    to->is_renamed = from->is_renamed;
    to->now = faulty_node_copy(from->now);
    to->synced = from->synced == from->now ? faulty_node_retain(to->now) : faulty_node_copy(from->synced);
  }
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return copy->number;
}

void faulty_disk_release(int32_t number) {
  struct disk *disk = faulty_disk_retain(number);
  faulty_disk_let_go(disk);
  faulty_disk_let_go(disk);
}

/// Which of two nodes a name stands for after a power cut: what was not synced may or may not have happened.
static struct node *survivor(struct entry *entry, uint64_t *random) {
  if (entry->now == entry->synced) return entry->now;
  return faulty_random(random) % 2 ? entry->now : entry->synced;
}

void faulty_disk_restart(int32_t number, int power_cut, uint64_t seed) {
  struct disk *disk = faulty_disk_retain(number);
  if (!disk) return;
  faulty_lock(disk);
  disk->generation += 1;
  disk->is_down = 0;
  disk->kind = FAULTY_NONE;
  for (size_t index = 0; index < disk->entry_count; index++) {
    struct entry *entry = &disk->entries[index];
    // Handles that are dead keep the nodes that they had; the names get copies, free of locks.
    struct node *now;
    struct node *synced;
    if (power_cut) {
      now = faulty_node_copy(survivor(entry, &seed));
      if (now) faulty_node_cut_power(now, &seed);
      synced = faulty_node_retain(now);
    } else {
      now = faulty_node_copy(entry->now);
      synced = entry->synced == entry->now ? faulty_node_retain(now) : faulty_node_copy(entry->synced);
    }
    faulty_node_let_go(entry->now);
    faulty_node_let_go(entry->synced);
    entry->now = now;
    entry->synced = synced;
  }
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
}

/// The node of a name, with the disk locked and retained in `disk`; `finish` ends that.
static struct node *find(int32_t number, const char *name, struct disk **disk) {
  *disk = faulty_disk_retain(number);
  faulty_lock(*disk);
  struct entry *entry = *disk ? faulty_entry(*disk, name, 0) : NULL;
  return entry ? entry->now : NULL;
}

static void finish(struct disk *disk) {
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
}

int64_t faulty_disk_size(int32_t number, const char *name) {
  struct disk *disk;
  struct node *node = find(number, name, &disk);
  int64_t size = node ? node->written.size : -1;
  finish(disk);
  return size;
}

int32_t faulty_disk_byte(int32_t number, const char *name, int64_t offset) {
  struct disk *disk;
  struct node *node = find(number, name, &disk);
  int32_t byte = node && offset >= 0 && offset < node->written.size ? node->written.bytes[offset] : -1;
  finish(disk);
  return byte;
}

void faulty_disk_set_byte(int32_t number, const char *name, int64_t offset, uint8_t byte) {
  struct disk *disk;
  struct node *node = find(number, name, &disk);
  if (node && offset >= 0 && offset < node->written.size) node->written.bytes[offset] = byte;
  if (node && offset >= 0 && offset < node->synced.size) node->synced.bytes[offset] = byte;
  finish(disk);
}
