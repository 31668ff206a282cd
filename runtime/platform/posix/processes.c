/* processes.c: processes and the environment. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/platform.h"

long platform_process_number(void) { return (long)getpid(); }

bool platform_machine_name(char *name, size_t size) {
  bool found = size > 0 && gethostname(name, size) == 0;
  if (found) name[size - 1] = '\0';
  return found && name[0];
}

long platform_parent_process(void) { return (long)getppid(); }

bool platform_process_exists(long process_number) {
  return kill((pid_t)process_number, 0) == 0 || errno != ESRCH;
}

bool platform_process_runs(int64_t process_number, int64_t *started) {
  return platform_process_state(process_number, started) != PLATFORM_PROCESS_GONE;
}

platform_state platform_process_state(int64_t process_number, int64_t *started) {
  char path[64], text[1024];
  if (started) *started = 0;
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process_number);
  FILE *file = fopen(path, "r");
  if (!file)
    return platform_process_exists((long)process_number) ? PLATFORM_PROCESS_RUNS
                                                         : PLATFORM_PROCESS_GONE;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  /* the name, in parentheses, may have any characters; after it come the state and 18 numbers before the time of the start */
  const char *at = strrchr(text, ')');
  char state = at && at[1] ? at[2] : 'X';
  for (int field = 0; at && field < 20; field++) at = strchr(at + 1, ' ');
  if (at && started) *started = strtoll(at, NULL, 10);
  if (state == 'Z' || state == 'X') return PLATFORM_PROCESS_GONE;
  return state == 'T' ? PLATFORM_PROCESS_STOPPED : PLATFORM_PROCESS_RUNS;
}

char **platform_environment(void) {
  extern char **environ;
  return environ;
}

bool platform_set_variable(const char *name, const char *value) {
  return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}
