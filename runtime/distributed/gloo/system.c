/* system.c: lets C++ call the platform. */
#include "distributed/gloo/system.h"

#include "platform/platform.h"

_Static_assert((int)SIGNAL_WORDS == (int)PLATFORM_SIGNAL_WORDS, "a mask has another size");

int64_t system_nanoseconds(void) { return platform_nanoseconds(); }
int64_t system_most_files(void) { return platform_most_files(); }
void system_yield(void) { platform_yield(); }
void system_sleep(int64_t nanoseconds) { platform_sleep(nanoseconds); }
void system_close(int file) { platform_close(file); }
void system_notice_silence(int socket) { platform_notice_silence(socket); }
void system_block_signals(uint64_t before[SIGNAL_WORDS]) { platform_block_signals(before); }
void system_restore_signals(const uint64_t before[SIGNAL_WORDS]) {
  platform_restore_signals(before);
}
bool system_hold_broken_pipes(void) { return platform_hold_broken_pipes(); }
void system_release_broken_pipes(void) { platform_release_broken_pipes(); }
