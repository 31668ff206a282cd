/* guard.c: what remains when a process that started others is killed, and the signals that it gets. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "platform/platform.h"

/* --- the guard ------------------------------------------------------------------------------- */

enum { MOST_GROUPS = 4096 };

static pid_t own_guard; /* the process of this one's guard, 0: none */

/* Notes the number of a group, or forgets a negative one. */
static void note_group(pid_t *groups, pid_t number) {
  pid_t wanted = number < 0 ? -number : 0;
  for (int i = 0; i < MOST_GROUPS; i++) {
    if (groups[i] != wanted) continue;
    groups[i] = number < 0 ? 0 : number;
    return;
  }
}

/* The guard's whole life: notes numbers of groups until the other end of the pipe is closed, that is, when
 * the process and all programs that have not yet been executed are gone; then kills the groups. */
_Noreturn static void guard(int from) {
  static pid_t groups[MOST_GROUPS];
  pid_t number;
  ssize_t got;
  setpgid(0, 0);
  for (int i = 1; i < NSIG; i++) signal(i, SIG_IGN);
  for (int file = 0; file < 256; file++)
    if (file != from) close(file);
  while ((got = read(from, &number, sizeof number)) != 0) {
    if (got == (ssize_t)sizeof number && number) note_group(groups, number);
    if (got < 0 && errno != EINTR) break;
  }
  for (int i = 0; i < MOST_GROUPS; i++)
    if (groups[i]) kill(-groups[i], SIGKILL);
  _exit(0);
}

int platform_start_guard(void) {
  int ends[2];
  if (!platform_open_pipe(ends)) return -1;
  pid_t process = fork();
  if (process == 0) {
    close(ends[1]);
    guard(ends[0]);
  }
  close(ends[0]);
  if (process > 0) {
    own_guard = process;
    return ends[1];
  }
  close(ends[1]);
  return -1;
}

void platform_release_group(int guard_file, long process) {
  pid_t number = -(pid_t)process;
  platform_write(guard_file, &number, sizeof number);
}

/* --- orphans --------------------------------------------------------------------------------- */

bool platform_adopt_orphans(void) {
#ifdef __linux__
  return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
#else
  return false;
#endif
}

/* Writes the numbers of this process's children, but for the process `spared`. Returns how many there are. */
static int list_children(pid_t *children, int capacity, pid_t spared) {
  char path[64];
  int count = 0;
  long number;
  snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  FILE *list = fopen(path, "re");
  while (list && count < capacity && fscanf(list, "%ld", &number) == 1)
    if (number != spared) children[count++] = (pid_t)number;
  if (list) fclose(list);
  return count;
}

void platform_kill_children(bool spares_guard) {
  enum { ROUNDS = 100, CAPACITY = 256 }; /* a killed process leaves its own children to this one */
  pid_t children[CAPACITY];
  for (int round = 0; round < ROUNDS; round++) {
    int count = list_children(children, CAPACITY, spares_guard ? own_guard : 0);
    if (count == 0) return;
    for (int i = 0; i < count; i++) kill(children[i], SIGKILL);
    for (int i = 0; i < count; i++)
      while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR) {
      }
  }
}
