/* children.c: programs that this process starts. */
#define _GNU_SOURCE /* environ for execvp, memfd_create, pidfd */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "platform/platform.h"

/* --- starting -------------------------------------------------------------------------------- */

/* Lets the system kill this process when the thread that started it ends. */
static void die_with(pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(127); /* it has ended meanwhile */
}

/* Gives the signals that a program finds at its start their usual meaning. */
static void reset_signals(void) {
  sigset_t none;
  for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Makes the files in `from` the first `count` files of this process. */
static bool place_files(int *from, int count) {
  for (int i = 0; i < count; i++) { /* out of the way of each other */
    from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, count);
    if (from[i] < 0) return false;
  }
  for (int i = 0; i < count; i++)
    if (dup2(from[i], i) < 0) return false;
  return true;
}

/* The child of the fork: becomes the program, or writes errno to `report`. Calls only what may be called
 * after a fork of a process with threads. */
_Noreturn static void become(const platform_program *p, pid_t parent, int report) {
  extern char **environ;
  int files[4] = {p->streams[0], p->streams[1], p->streams[2], p->extra};
  pid_t own = getpid();
  int code;
  die_with(parent);
  reset_signals();
  report = fcntl(report, F_DUPFD_CLOEXEC, 8);
  if (p->own_group) setpgid(0, 0);
  bool guarded = p->guard < 0 || write(p->guard, &own, sizeof own) == (ssize_t)sizeof own;
  if (guarded && place_files(files, p->extra < 0 ? 3 : 4)) {
    environ = (char **)p->environment;
    execvp(p->arguments[0], p->arguments);
  }
  code = errno;
  if (write(report, &code, sizeof code) < 0) _exit(126);
  _exit(127);
}

long platform_start_program(const platform_program *program) {
  int ends[2], code = 0;
  if (!platform_open_pipe(ends)) return -1;
  pid_t parent = getpid(), process = fork();
  if (process == 0) become(program, parent, ends[1]);
  if (process < 0) code = errno;
  close(ends[1]);
  ssize_t got;
  do got = process < 0 ? 0 : read(ends[0], &code, sizeof code);
  while (got < 0 && errno == EINTR);
  close(ends[0]);
  if (code == 0) return process;
  if (process > 0)
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
    }
  errno = code;
  return -1;
}

bool platform_program_path(char *path, size_t capacity) {
#ifdef __APPLE__
  uint32_t size = (uint32_t)capacity;
  return _NSGetExecutablePath(path, &size) == 0;
#else
  ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
  if (length > 0) path[length] = '\0';
  return length > 0;
#endif
}

/* --- ending ---------------------------------------------------------------------------------- */

static double seconds_of(const struct timeval *time) {
  return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

bool platform_has_ended(long process, platform_ending *ending) {
  struct rusage used;
  int status = 0;
  memset(ending, 0, sizeof *ending);
  memset(&used, 0, sizeof used);
  pid_t found = wait4((pid_t)process, &status, WNOHANG, &used);
  if (found == 0 || (found < 0 && errno == EINTR)) return false;
  if (found < 0) { /* somebody else has collected it */
    ending->code = -1;
    return true;
  }
  ending->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ending->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending->seconds = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
#ifdef __APPLE__
  ending->memory = used.ru_maxrss;
#else
  ending->memory = (int64_t)used.ru_maxrss * 1024;
#endif
  return true;
}

int platform_watch_process(long process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, (pid_t)process, 0);
#else
  (void)process;
  return -1;
#endif
}

bool platform_send_signal(long process, bool group, int number) {
  pid_t to = (pid_t)process;
  if (to <= 1 || number <= 0 || kill(group ? -to : to, number) != 0) return false;
  kill(group ? -to : to, SIGCONT); /* a process that is stopped takes the signal only then */
  return true;
}

/* --- files ----------------------------------------------------------------------------------- */

enum { MOST_FILES = 4096 };

void platform_wait_for_files(int count, const int *files, bool *ready, int milliseconds) {
  struct pollfd all[MOST_FILES];
  if (count > MOST_FILES) count = MOST_FILES;
  for (int i = 0; i < count; i++) all[i] = (struct pollfd){.fd = files[i], .events = POLLIN};
  int found = poll(all, (nfds_t)count, milliseconds);
  for (int i = 0; i < count; i++) ready[i] = found > 0 && all[i].revents != 0;
}

int platform_scratch_file(char *path, size_t capacity) {
#ifdef __linux__
  int file = memfd_create("tocha", MFD_CLOEXEC);
  if (file >= 0) snprintf(path, capacity, "/proc/%ld/fd/%d", (long)getpid(), file);
  return file;
#else
  const char *folder = getenv("TMPDIR");
  snprintf(path, capacity, "%s/tocha-XXXXXX", folder && *folder ? folder : "/tmp");
  int file = mkstemp(path);
  if (file >= 0) fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
#endif
}

void platform_remove_scratch_file(int file, const char *path) {
#ifdef __linux__
  (void)path;
#else
  unlink(path);
#endif
  close(file);
}
