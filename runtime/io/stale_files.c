/* stale_files.c: removes the temporary files of processes that were killed while they saved. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/source.h"

enum { PATH_ROOM = 4096 };

/* Reads the process number from a name such as "NAME.tmp-PID-N". */
static bool read_name(const char *name, long *process) {
  const char *at = NULL;
  int number, end = 0;
  for (const char *next = name; (next = strstr(next, ".tmp-")); next++) at = next;
  return at && at != name && sscanf(at, ".tmp-%ld-%d%n", process, &number, &end) == 2 && !at[end] &&
         *process > 0;
}

/* Removes a temporary file if its process has ended. A process that writes such a file holds a lock on it. The lock also counts
 * if the folder is shared with another machine or a container, where the process number means nothing. */
static void remove_stale(int folder, const char *name, long process) {
  struct stat status;
  if (kill((pid_t)process, 0) == 0 || errno != ESRCH) return;
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, name, 0);
  close(file);
}

void tocha_remove_stale_files(const char *path) {
  char folder[PATH_ROOM];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + (slash == path) : 1;
  if (length >= sizeof folder) return;
  memcpy(folder, slash ? path : ".", length);
  folder[length] = '\0';
  DIR *entries = opendir(folder);
  for (const struct dirent *e; entries && (e = readdir(entries)) != NULL;) {
    long process;
    if (read_name(e->d_name, &process)) remove_stale(dirfd(entries), e->d_name, process);
  }
  if (entries) closedir(entries);
}
