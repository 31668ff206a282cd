/* processes.c: processes and the environment. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
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

char **platform_environment(void) {
  extern char **environ;
  return environ;
}

bool platform_set_variable(const char *name, const char *value) {
  return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}
