#include "disk.h"
#include <stdlib.h>
#include <string.h>

/// What a disk writes whole: a power cut keeps or loses a write by pieces of this size.
static const int64_t sector_size = 512;

void *faulty_allocate(void *old, size_t size) {
  void *memory = realloc(old, size ? size : 1);
  if (!memory) abort();
  return memory;
}

// MARK: Images

static void reserve(struct image *image, int64_t size) {
  if (size <= image->capacity) return;
  int64_t capacity = image->capacity ? image->capacity : 4096;
  while (capacity < size) capacity *= 2;
  image->bytes = faulty_allocate(image->bytes, (size_t)capacity);
  image->capacity = capacity;
}

void faulty_image_truncate(struct image *image, int64_t size) {
  reserve(image, size);
  if (size > image->size) memset(image->bytes + image->size, 0, (size_t)(size - image->size));
  image->size = size;
}

void faulty_image_write(struct image *image, int64_t offset, const void *bytes, int64_t count) {
  if (count <= 0) return;
  if (offset + count > image->size) faulty_image_truncate(image, offset + count);
  memcpy(image->bytes + offset, bytes, (size_t)count);
}

static void copy_image(struct image *to, const struct image *from) {
  faulty_image_truncate(to, 0);
  faulty_image_write(to, 0, from->bytes, from->size);
}

// MARK: Nodes

struct node *faulty_node_make(void) {
  struct node *node = faulty_allocate(NULL, sizeof *node);
  memset(node, 0, sizeof *node);
  node->references = 1;
  return node;
}

struct node *faulty_node_retain(struct node *node) {
  if (node) node->references += 1;
  return node;
}

void faulty_node_let_go(struct node *node) {
  if (!node || --node->references > 0) return;
  faulty_node_forget_pending(node);
  free(node->pending);
  free(node->written.bytes);
  free(node->synced.bytes);
  free(node);
}

static struct pending *add_pending(struct node *node) {
  if (node->pending_count == node->pending_capacity) {
    node->pending_capacity = node->pending_capacity ? node->pending_capacity * 2 : 16;
    node->pending = faulty_allocate(node->pending, node->pending_capacity * sizeof *node->pending);
  }
  struct pending *pending = &node->pending[node->pending_count++];
  memset(pending, 0, sizeof *pending);
  return pending;
}

static void add_pending_write(struct node *node, int64_t offset, const void *bytes, int64_t count) {
  struct pending *pending = add_pending(node);
  pending->offset = offset;
  pending->count = count;
  pending->bytes = faulty_allocate(NULL, (size_t)count);
  memcpy(pending->bytes, bytes, (size_t)count);
}

static void add_pending_truncation(struct node *node, int64_t size) {
  struct pending *pending = add_pending(node);
  pending->is_truncation = 1;
  pending->offset = size;
}

void faulty_node_write(struct node *node, int64_t offset, const void *bytes, int64_t count) {
  if (count <= 0) return;
  faulty_image_write(&node->written, offset, bytes, count);
  add_pending_write(node, offset, bytes, count);
}

void faulty_node_truncate(struct node *node, int64_t size) {
  faulty_image_truncate(&node->written, size);
  add_pending_truncation(node, size);
}

void faulty_node_forget_pending(struct node *node) {
  for (size_t index = 0; index < node->pending_count; index++) free(node->pending[index].bytes);
  node->pending_count = 0;
}

void faulty_node_sync(struct node *node) {
  for (size_t index = 0; index < node->pending_count; index++) {
    struct pending *pending = &node->pending[index];
    if (pending->is_truncation) faulty_image_truncate(&node->synced, pending->offset);
    else faulty_image_write(&node->synced, pending->offset, pending->bytes, pending->count);
  }
  faulty_node_forget_pending(node);
}

struct node *faulty_node_copy(const struct node *node) {
  if (!node) return NULL;
  struct node *copy = faulty_node_make();
  copy_image(&copy->written, &node->written);
  copy_image(&copy->synced, &node->synced);
  for (size_t index = 0; index < node->pending_count; index++) {
    const struct pending *pending = &node->pending[index];
    if (pending->is_truncation) add_pending_truncation(copy, pending->offset);
    else add_pending_write(copy, pending->offset, pending->bytes, pending->count);
  }
  return copy;
}

// MARK: Power cuts

/// SplitMix64 (Steele, Lea, Flood 2014).
uint64_t faulty_random(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15;
  uint64_t mixed = *state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

/// Keeps `quarters` of four sectors of a write, and of one in eight of those it keeps only the beginning.
static void keep_part(struct node *node, const struct pending *pending, unsigned quarters, uint64_t *random) {
  int64_t position = 0;
  while (position < pending->count) {
    int64_t offset = pending->offset + position;
    int64_t count = sector_size - offset % sector_size;
    if (count > pending->count - position) count = pending->count - position;
    uint64_t bits = faulty_random(random);
    if (bits % 4 < quarters) {
      int64_t kept = quarters < 4 && (bits >> 2) % 8 == 0 ? (int64_t)((bits >> 5) % (uint64_t)count) : count;
      faulty_image_write(&node->synced, offset, pending->bytes + position, kept);
    }
    position += count;
  }
}

/// A file may have grown although what it should hold was lost: then there is whatever lay on the disk.
static void grow_over_rubbish(struct node *node, int64_t size, uint64_t *random) {
  int64_t start = node->synced.size;
  if (size <= start) return;
  faulty_image_truncate(&node->synced, size);
  for (int64_t offset = start; offset < size; offset++) {
    node->synced.bytes[offset] = (uint8_t)faulty_random(random);
  }
}

void faulty_node_cut_power(struct node *node, uint64_t *random) {
  unsigned quarters = (unsigned)(faulty_random(random) % 5);
  int has_rubbish = faulty_random(random) % 4 == 0 && quarters < 4;
  for (size_t index = 0; index < node->pending_count; index++) {
    struct pending *pending = &node->pending[index];
    if (pending->is_truncation) {
      if (faulty_random(random) % 4 < quarters) faulty_image_truncate(&node->synced, pending->offset);
    } else {
      if (has_rubbish && faulty_random(random) % 2) {
        grow_over_rubbish(node, pending->offset + pending->count, random);
      }
      keep_part(node, pending, quarters, random);
    }
  }
  faulty_node_forget_pending(node);
  copy_image(&node->written, &node->synced);
}
