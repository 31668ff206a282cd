/* processors.c: the program runs in one thread of the page, on one processor. */
#include "platform/platform.h"

int platform_processors(void) { return 1; }

int platform_usable_processors(void) { return 1; }

int platform_quota(const char *folder, const char *membership) {
  (void)folder;
  (void)membership;
  return 0;
}
