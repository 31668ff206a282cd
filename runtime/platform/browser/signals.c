/* signals.c: no signals come. */
#include <string.h>

#include "platform/platform.h"

void platform_block_signals(uint64_t before[PLATFORM_SIGNAL_WORDS]) {
  memset(before, 0, PLATFORM_SIGNAL_WORDS * sizeof *before);
}

void platform_restore_signals(const uint64_t before[PLATFORM_SIGNAL_WORDS]) { (void)before; }

bool platform_hold_broken_pipes(void) { return false; }

void platform_release_broken_pipes(void) {}
