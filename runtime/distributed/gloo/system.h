/* system.h: what the engine needs of runtime/platform/, whose headers are C's alone. */
#ifndef TOCHA_GLOO_SYSTEM_H
#define TOCHA_GLOO_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIGNAL_WORDS = 16 };

int64_t system_nanoseconds(void);
int64_t system_most_files(void);
void system_yield(void);
void system_sleep(int64_t nanoseconds);
void system_close(int file);
void system_notice_silence(int socket);
void system_block_signals(uint64_t before[SIGNAL_WORDS]);
void system_restore_signals(const uint64_t before[SIGNAL_WORDS]);
bool system_hold_broken_pipes(void);
void system_release_broken_pipes(void);

#ifdef __cplusplus
}
#endif
#endif
