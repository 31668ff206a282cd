/* processors.c: the number of processors: of the machine, and what this process may use of them. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/platform.h"

int platform_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

/* --- the quota of control groups --------------------------------------------------------------- */

enum { LONGEST = 4096 };

/* Reads `count` numbers, up to 2, at the beginning of a file. Returns false if it has fewer ("max"), or
 * is missing. */
static bool read_numbers(const char *folder, const char *group, const char *name, int count,
                         long long *numbers) {
  char path[2 * LONGEST], text[64] = "", *at = text, *end;
  snprintf(path, sizeof path, "%s%s/%s", folder, group, name);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  int read = 0;
  for (fgets(text, sizeof text, file); read < count; read++, at = end) {
    numbers[read] = strtoll(at, &end, 10);
    if (end == at) break;
  }
  fclose(file);
  return read == count;
}

/* Returns the processors that the quota of one group allows, rounded up; 0: there is no quota. second:
 * the group is one of version 2. */
static int quota_of(const char *folder, const char *group, bool second) {
  long long time = 0, period = 0, both[2];
  if (second && read_numbers(folder, group, "cpu.max", 2, both)) {
    time = both[0];
    period = both[1];
  } else if (!second && read_numbers(folder, group, "cpu.cfs_quota_us", 1, &time)) {
    read_numbers(folder, group, "cpu.cfs_period_us", 1, &period);
  }
  if (time <= 0 || period <= 0 || time / period >= 1 << 20) return 0;
  return (int)(time / period + (time % period != 0));
}

/* Returns the smallest quota of a group and the groups above it. Writes to `group`. */
static int smallest_quota(const char *folder, char *group, bool second) {
  int smallest = 0;
  for (;;) {
    size_t length = strlen(group);
    if (length && group[length - 1] == '/') group[length - 1] = '\0';
    int quota = quota_of(folder, group, second);
    if (quota && (!smallest || quota < smallest)) smallest = quota;
    char *last = strrchr(group, '/');
    if (!last) return smallest;
    *last = '\0';
  }
}

int platform_quota(const char *folder, const char *membership) {
  char line[LONGEST], root[LONGEST];
  int smallest = 0;
  FILE *file = fopen(membership, "re");
  while (file && fgets(line, sizeof line, file)) { /* "0::/group", "4:cpu,cpuacct:/group" */
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *group++ = '\0';
    bool second = controllers[1] == '\0';
    if (!second && strcmp(controllers + 1, "cpu") != 0 && strncmp(controllers + 1, "cpu,", 4) != 0)
      continue;
    snprintf(root, sizeof root, "%s%s", folder, second ? "" : "/cpu");
    int quota = smallest_quota(root, group, second);
    if (quota && (!smallest || quota < smallest)) smallest = quota;
  }
  if (file) fclose(file);
  return smallest;
}

int platform_usable_processors(void) {
  int count = platform_processors();
#ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) count = CPU_COUNT(&set);
#endif
  int quota = platform_quota("/sys/fs/cgroup", "/proc/self/cgroup");
  return quota && quota < count ? quota : count;
}
