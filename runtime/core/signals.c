/* signals.c: blocks signals in the threads of the library. */
#include "tocha/signals.h"

#include "platform/platform.h"

_Static_assert(sizeof(tocha_signal_mask) == PLATFORM_SIGNAL_WORDS * sizeof(uint64_t),
               "a mask has another size on this side");

tocha_signal_mask tocha_hold_signals(void) {
  tocha_signal_mask held;
  platform_block_signals(held.bits);
  return held;
}

void tocha_release_signals(const tocha_signal_mask *held) {
  if (held) platform_restore_signals(held->bits);
}
