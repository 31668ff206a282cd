/* processes.c: processes and the environment. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

/* What /proc/PID/stat says. */
typedef struct process_fields {
  char state;      /* 'Z': it has ended, 'T': it is stopped */
  unsigned flags;  /* of the kernel */
  int64_t started; /* ticks of a clock */
  int status;      /* what wait() will say; 0 also if this user may not read it */
} process_fields;

/* Flags: the main thread ends, and may be giving back the memory of the process. */
enum { EXITING = 4 };

static bool read_fields(int64_t process_number, process_fields *fields) {
  enum { STATE = 3, FLAGS = 9, STARTED = 22, STATUS = 52 };
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process_number);
  FILE *file = fopen(path, "r");
  *fields = (process_fields){.state = 'X'};
  if (!file) return false;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  /* the name, in parentheses, may have any characters; the third field comes after it */
  const char *at = strrchr(text, ')');
  if (at && at[1]) fields->state = at[2];
  for (int field = STATE; at && field <= STATUS; field++) {
    at = strchr(at + 1, ' ');
    if (at && field == FLAGS) fields->flags = (unsigned)strtoul(at, NULL, 10);
    if (at && field == STARTED) fields->started = strtoll(at, NULL, 10);
    if (at && field == STATUS) fields->status = (int)strtol(at, NULL, 10);
  }
  return true;
}

static bool has_ended(const process_fields *fields) {
  return fields->state == 'Z' || fields->state == 'X' || (fields->flags & EXITING);
}

platform_state platform_process_state(int64_t process_number, int64_t *started) {
  process_fields fields;
  bool is_read = read_fields(process_number, &fields);
  if (started) *started = fields.started;
  if (!is_read)
    return platform_process_exists((long)process_number) ? PLATFORM_PROCESS_RUNS
                                                         : PLATFORM_PROCESS_GONE;
  if (has_ended(&fields)) return PLATFORM_PROCESS_GONE;
  return fields.state == 'T' ? PLATFORM_PROCESS_STOPPED : PLATFORM_PROCESS_RUNS;
}

bool platform_find_ending(int64_t process_number, int *code, int *signal_number) {
  process_fields fields;
  if (!read_fields(process_number, &fields) || !has_ended(&fields)) return false;
  *code = WIFEXITED(fields.status) ? WEXITSTATUS(fields.status) : 0;
  *signal_number = WIFSIGNALED(fields.status) ? WTERMSIG(fields.status) : 0;
  return fields.status != 0;
}

char **platform_environment(void) {
  extern char **environ;
  return environ;
}

bool platform_set_variable(const char *name, const char *value) {
  return (value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}
