/* status.c: what is known of a path or a file. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/platform.h"

static bool fill(platform_status *status, int result, const struct stat *s) {
  if (result != 0) return false;
  platform_kind kind = S_ISREG(s->st_mode)   ? PLATFORM_FILE
                       : S_ISDIR(s->st_mode) ? PLATFORM_FOLDER
                                             : PLATFORM_OTHER;
  *status = (platform_status){.kind = kind,
                              .size = s->st_size,
                              .device = (uint64_t)s->st_dev,
                              .number = (uint64_t)s->st_ino,
                              .owner = s->st_uid,
                              .group = s->st_gid,
                              .permissions = s->st_mode & 07777};
  return true;
}

bool platform_path_status(const char *path, platform_status *status) {
  struct stat s;
  return fill(status, stat(path, &s), &s);
}

bool platform_file_status(int file, platform_status *status) {
  struct stat s;
  return fill(status, fstat(file, &s), &s);
}

void platform_set_owner(int file, const platform_status *like) {
  struct stat now;
  if (fstat(file, &now) != 0) return;
  bool other_owner = now.st_uid != like->owner, other_group = now.st_gid != like->group;
  if ((other_owner || other_group) && fchown(file, like->owner, like->group) != 0 && other_group &&
      fchown(file, (uid_t)-1, like->group) != 0)
    errno = 0; /* the file stays with the user of this process */
  fchmod(file, (mode_t)like->permissions);
}

int64_t platform_read_link(const char *path, char *target, size_t capacity) {
  return readlink(path, target, capacity);
}

char *platform_real_path(const char *path) { return realpath(path, NULL); }
