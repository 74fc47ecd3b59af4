#include "disk.h"
#include <string.h>

static int32_t finish(struct disk *disk, int code) {
  faulty_unlock(disk);
  faulty_disk_let_go(disk);
  return code;
}

int32_t faulty_file_look_up(const char *path) {
  sqlite3_vfs *vfs = sqlite3_vfs_find("faulty");
  int is_there = 0;
  // Not SQLITE_ACCESS_EXISTS, to which an empty file is none.
  int code = vfs->xAccess(vfs, path, SQLITE_ACCESS_READWRITE, &is_there);
  return code == SQLITE_OK && !is_there ? SQLITE_NOTFOUND : code;
}

int32_t faulty_file_remove(const char *path) {
  sqlite3_vfs *vfs = sqlite3_vfs_find("faulty");
  int code = vfs->xDelete(vfs, path, 0);
  return code == SQLITE_IOERR_DELETE_NOENT ? SQLITE_OK : code;
}

int32_t faulty_file_sync(const char *path) {
  const char *name = "";
  struct disk *disk = faulty_locate(path, &name);
  if (!disk) return SQLITE_CANTOPEN;
  faulty_lock(disk);
  struct entry *entry = faulty_entry(disk, name, 0);
  struct node *node = entry ? entry->now : NULL;
  int code = faulty_count(disk, OPERATION_SYNC).code;
  if (code == SQLITE_OK && !node) code = SQLITE_CANTOPEN;
  faulty_sync(disk, node, 0, code);
  return finish(disk, code);
}

int32_t faulty_folder_sync(const char *path) {
  const char *name = "";
  struct disk *disk = faulty_locate(path, &name);
  if (!disk) return SQLITE_CANTOPEN;
  faulty_lock(disk);
  int code = faulty_count(disk, OPERATION_SYNC_FOLDER).code;
  faulty_sync(disk, NULL, 1, code);
  return finish(disk, code);
}

int32_t faulty_file_rename(const char *path, const char *other) {
  const char *name = "";
  const char *other_name = strrchr(other, '/');
  struct disk *disk = faulty_locate(path, &name);
  if (!disk || !other_name) return SQLITE_CANTOPEN;
  faulty_lock(disk);
  struct verdict verdict = faulty_count(disk, OPERATION_RENAME);
  struct entry *to = faulty_entry(disk, other_name + 1, 1);
  struct entry *from = faulty_entry(disk, name, 0);
  if (!from || !from->now || to->now) return finish(disk, SQLITE_CANTOPEN);
  // Of a rename in the midst of which the power fails, each half may have happened.
  if (verdict.code == SQLITE_OK || (verdict.is_torn && disk->is_down)) {
    to->now = from->now;
    to->is_renamed = 1;
    from->now = NULL;
  }
  return finish(disk, verdict.code);
}
