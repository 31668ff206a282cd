/* folders.c: folders. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/platform.h"

platform_folder *platform_open_folder(const char *path) { return (platform_folder *)opendir(path); }

platform_folder *platform_folder_of_file(int file) { return (platform_folder *)fdopendir(file); }

const char *platform_next_name(platform_folder *folder) {
  const struct dirent *entry;
  do entry = readdir((DIR *)folder);
  while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
  return entry ? entry->d_name : NULL;
}

void platform_close_folder(platform_folder *folder) { closedir((DIR *)folder); }

bool platform_make_folder(const char *path, bool is_private) {
  return mkdir(path, is_private ? 0700 : 0777) == 0;
}

bool platform_change_folder(const char *path) { return chdir(path) == 0; }

bool platform_current_folder(char *path, size_t capacity) { return getcwd(path, capacity) != NULL; }
