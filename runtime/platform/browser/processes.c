/* processes.c: the page is the only process; its environment is the C library's. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "platform/platform.h"

long platform_process_number(void) { return 1; }

bool platform_machine_name(char *name, size_t size) {
  (void)name, (void)size;
  return false;
}

long platform_parent_process(void) { return 0; }

bool platform_process_exists(long process_number) { return process_number == 1; }

char **platform_environment(void) {
  extern char **environ;
  return environ;
}

bool platform_set_variable(const char *name, const char *value) {
  return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

bool platform_process_runs(int64_t process_number, int64_t *started) {
  if (started) *started = 0;
  return process_number == 1;
}

platform_state platform_process_state(int64_t process_number, int64_t *started) {
  if (started) *started = 0;
  return process_number == 1 ? PLATFORM_PROCESS_RUNS : PLATFORM_PROCESS_GONE;
}

bool platform_find_ending(int64_t process_number, int *code, int *signal_number) {
  (void)process_number, (void)code, (void)signal_number;
  return false;
}
