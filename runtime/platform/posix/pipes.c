/* pipes.c: pipes, and the numbers of files. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <unistd.h>

#include "platform/platform.h"

bool platform_open_pipe(int ends[2]) {
  if (pipe(ends) != 0) return false;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  return true;
}

bool platform_never_wait(int file) { return fcntl(file, F_SETFL, O_NONBLOCK) == 0; }

int platform_duplicate(int file) { return fcntl(file, F_DUPFD_CLOEXEC, PLATFORM_STDERR + 1); }
