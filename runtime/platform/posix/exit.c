/* exit.c: the end of the process. */
#define _DEFAULT_SOURCE /* on_exit */
#include <stdlib.h>

#include "platform/platform.h"

#if defined(__GLIBC__)
static void (*at_exit)(int status);

static void call(int status, void *unused) {
  (void)unused;
  at_exit(status);
}
#endif

void platform_call_at_exit(void (*function)(int status)) {
#if defined(__GLIBC__)
  at_exit = function;
  on_exit(call, NULL);
#else
  (void)function;
#endif
}
