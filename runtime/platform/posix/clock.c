/* clock.c: the system's clocks. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "platform/platform.h"

enum { SECOND = 1000000000 };

static int64_t read_clock(clockid_t id) {
  struct timespec t = {0, 0};
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

int64_t platform_nanoseconds(void) { return read_clock(CLOCK_MONOTONIC); }

int64_t platform_thread_nanoseconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

int64_t platform_wall_clock(void) { return read_clock(CLOCK_REALTIME); }

bool platform_universal_time(int64_t seconds, struct tm *parts) {
  time_t t = (time_t)seconds;
  return gmtime_r(&t, parts) != NULL;
}

void platform_sleep(int64_t nanoseconds) {
  const struct timespec pause = {(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
  nanosleep(&pause, NULL);
}
