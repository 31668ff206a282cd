/* stale_files.c: removes the temporary files of processes that were killed while they saved. */
#include <stdio.h>
#include <string.h>

#include "io/source.h"
#include "platform/platform.h"

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
static void remove_stale(const char *path, long process) {
  platform_status status;
  if (platform_process_exists(process)) return;
  int file = platform_open(path, PLATFORM_READ | PLATFORM_NO_LINK | PLATFORM_AT_ONCE);
  if (file < 0) return;
  bool regular = platform_file_status(file, &status) && status.kind == PLATFORM_FILE;
  if (regular && platform_lock_file(file, false)) remove(path);
  platform_close(file);
}

void tocha_remove_stale_files(const char *path) {
  char entry[PATH_ROOM];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 2;
  if (length >= sizeof entry) return;
  memcpy(entry, slash ? path : "./", length);
  entry[length] = '\0';
  platform_folder *folder = platform_open_folder(entry);
  for (const char *name; folder && (name = platform_next_name(folder)) != NULL;) {
    long process;
    if (!read_name(name, &process) || strlen(name) >= sizeof entry - length) continue;
    strcpy(entry + length, name);
    remove_stale(entry, process);
  }
  if (folder) platform_close_folder(folder);
}
