/* endings.c: processes that were killed, and whether the system did it for want of memory. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

enum { LONGEST = 4096 };

static const int64_t UNLIMITED = (int64_t)1 << 60; /* version 1 writes such a number for no limit */

/* The files in which a version of control groups tells about memory. */
typedef struct group_version {
  const char *controllers; /* of the group's line in /proc/self/cgroup */
  const char *folder, *kills, *limit;
} group_version;

static const group_version VERSIONS[] = {
    {"", "/sys/fs/cgroup", "memory.events", "memory.max"},
    {"memory", "/sys/fs/cgroup/memory", "memory.oom_control", "memory.limit_in_bytes"}};

/* Writes this process's group, "/a/b", or "" if it has none. */
static void find_group(const char *controllers, char group[LONGEST]) {
  char line[LONGEST];
  FILE *file = fopen("/proc/self/cgroup", "re");
  *group = '\0';
  while (file && !*group && fgets(line, sizeof line, file)) { /* "0::/a/b", "4:memory:/a/b" */
    line[strcspn(line, "\n")] = '\0';
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    if (!path) continue;
    *path++ = '\0';
    if (strcmp(names + 1, controllers) == 0) snprintf(group, LONGEST, "%s", path);
  }
  if (file) fclose(file);
}

/* Reads the number after a word at the beginning of a line of a file; "": the first number. Returns -1 if there is none. */
static int64_t read_number(const char *folder, const char *group, const char *name,
                           const char *word) {
  char path[2 * LONGEST], line[256], *end;
  size_t length = strlen(word);
  int64_t number = -1;
  snprintf(path, sizeof path, "%s%s/%s", folder, strcmp(group, "/") == 0 ? "" : group, name);
  FILE *file = fopen(path, "re");
  while (file && number < 0 && fgets(line, sizeof line, file)) {
    if (strncmp(line, word, length) != 0) continue;
    long long value = strtoll(line + length, &end, 10);
    if (end != line + length) number = value;
  }
  if (file) fclose(file);
  return number;
}

int64_t platform_memory_kills(int64_t *limit) {
  char group[LONGEST];
  if (limit) *limit = 0;
  for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
    const group_version *v = &VERSIONS[i];
    find_group(v->controllers, group);
    int64_t kills = *group ? read_number(v->folder, group, v->kills, "oom_kill ") : -1;
    if (kills < 0) { /* a container may show another path than that of its folder */
      *group = '\0';
      kills = read_number(v->folder, group, v->kills, "oom_kill ");
    }
    if (kills < 0) continue;
    int64_t bytes = limit ? read_number(v->folder, group, v->limit, "") : 0; /* -1: "max" */
    if (bytes > 0 && bytes < UNLIMITED) *limit = bytes;
    return kills;
  }
  return 0;
}

/* --- signals ------------------------------------------------------------------------------------ */

static const struct {
  int number;
  const char *name;
} signals[] = {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},
               {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
               {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"},
               {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
               {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
               {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};

int platform_signal_number(const char *name) {
  if (strncmp(name, "SIG", 3) == 0) name += 3;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (strcmp(signals[i].name + 3, name) == 0) return signals[i].number;
  return 0;
}

const char *platform_signal_name(int number) {
  static char other[16];
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signals[i].number == number) return signals[i].name;
  snprintf(other, sizeof other, "SIG%d", number);
  return other;
}

void platform_describe_kill(int signal_number, bool for_memory, char *text, size_t capacity) {
  char limit[48] = "";
  int64_t bytes;
  if (for_memory) {
    platform_memory_kills(&bytes);
    if (bytes) snprintf(limit, sizeof limit, " of %.1f GiB", (double)bytes / (1 << 30));
  }
  snprintf(text, capacity, "was killed by signal %d (%s)%s%s%s", signal_number,
           platform_signal_name(signal_number),
           for_memory ? " by the system: the limit of memory" : "", limit,
           for_memory ? " is reached" : "");
}
