/* beneath.c: files beneath a folder that is open. No path leads out of it: no "..", no root, no link, and no folder that is
 * moved while the path is followed.
 *
 * Linux resolves such a path at once (openat2), and then also follows links that stay beneath the folder. Elsewhere each part of
 * the path is opened in the folder before it, and links are refused. */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "platform/platform.h"

#if defined(SYS_openat2)
#include <linux/openat2.h>
#endif

enum { NAME_ROOM = 4096 };

/* Returns true if the path has parts, none of which is "..", and does not begin at the root. */
static bool is_relative(const char *path) {
  if (path[0] == '/' || path[0] == '\0' || strlen(path) >= NAME_ROOM) return false;
  for (const char *part = path; part; part = strchr(part, '/')) {
    part += strspn(part, "/");
    if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0')) return false;
  }
  return true;
}

/* Opens the path part by part. */
static int open_by_parts(int folder, const char *path, int flags, mode_t mode) {
  char parts[NAME_ROOM];
  int at = folder;
  strcpy(parts, path);
  for (char *part = parts;;) {
    char *end = part + strcspn(part, "/"), *next = end + strspn(end, "/");
    bool last = *next == '\0';
    *end = '\0';
    int file = last ? openat(at, part, flags | O_NOFOLLOW, mode)
                    : openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int number = errno;
    if (at != folder) close(at);
    errno = number;
    if (last || file < 0) return file;
    at = file;
    part = next;
  }
}

static int open_beneath(int folder, const char *path, int flags, mode_t mode) {
  if (!is_relative(path)) return errno = EACCES, -1;
#if defined(SYS_openat2)
  struct open_how how = {.flags = (uint64_t)(unsigned)flags,
                         .mode = flags & O_CREAT ? mode : 0,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  for (int attempt = 0; attempt < 100; attempt++) { /* EAGAIN: something was renamed meanwhile */
    long file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (file >= 0) return (int)file;
    if (errno == EXDEV) errno = EACCES;
    if (errno != EAGAIN && errno != ENOSYS && errno != EPERM) return -1;
    if (errno != EAGAIN) break;
  }
#endif
  return open_by_parts(folder, path, flags, mode);
}

int platform_open_beneath(int folder, const char *path, int how) {
  return open_beneath(folder, path, platform_open_flags(how), how & PLATFORM_PRIVATE ? 0600 : 0666);
}

/* Opens the folder in which the path's last part lies, and points `*name` to that part. Returns -1 if there is none. */
static int open_parent(int folder, const char *path, const char **name) {
  char parent[NAME_ROOM];
  if (!is_relative(path)) return errno = EACCES, -1;
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  size_t length = slash ? (size_t)(slash - path) : 0;
  memcpy(parent, path, length);
  strcpy(parent + length, slash ? "" : ".");
  if (!**name || strcmp(*name, ".") == 0) return errno = EACCES, -1;
  return open_beneath(folder, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

static bool close_after(int file, bool done) {
  int number = errno;
  close(file);
  errno = number;
  return done;
}

bool platform_move_beneath(int folder, const char *from, const char *to) {
  const char *old_name, *new_name;
  int old_parent = open_parent(folder, from, &old_name);
  if (old_parent < 0) return false;
  int new_parent = open_parent(folder, to, &new_name);
  if (new_parent < 0) return close_after(old_parent, false);
  bool done = renameat(old_parent, old_name, new_parent, new_name) == 0;
  return close_after(old_parent, close_after(new_parent, done));
}

bool platform_remove_beneath(int folder, const char *path) {
  const char *name;
  int parent = open_parent(folder, path, &name);
  return parent >= 0 && close_after(parent, unlinkat(parent, name, 0) == 0);
}

bool platform_make_folder_beneath(int folder, const char *path) {
  const char *name;
  int parent = open_parent(folder, path, &name);
  return parent >= 0 && close_after(parent, mkdirat(parent, name, 0777) == 0);
}
