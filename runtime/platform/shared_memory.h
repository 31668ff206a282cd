/* shared_memory.h: memory that processes of a host share without a name, and waiting for a word in it (shared_memory.c).
 * Not in a web page. */
#ifndef TOCHA_PLATFORM_SHARED_MEMORY_H
#define TOCHA_PLATFORM_SHARED_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates a file in memory without a name and without bytes, which goes with its last user. Returns its number, or -1 if it
 * fails or the system has no such files. */
int platform_create_shared_memory(void);
/* Opens such a file of a process by its number there. Returns -1 if that is not allowed. */
int platform_open_shared_memory(int64_t process, int file);
/* Gives the file memory, zeros at first, for a range of bytes. */
bool platform_reserve_shared_memory(int file, uint64_t offset, size_t bytes);
/* Maps a range, which begins at a multiple of 64 KiB, to read and write. Returns NULL if it fails. */
void *platform_map_shared_memory(int file, uint64_t offset, size_t bytes);
void platform_unmap_shared_memory(void *memory, size_t bytes);

/* Waits while the word, which may lie in shared memory, has the value, at most so many nanoseconds. It may return earlier. */
void platform_wait_word(_Atomic uint32_t *word, uint32_t value, int64_t nanoseconds);
/* Wakes all that wait for the word, in any process. */
void platform_wake_word(_Atomic uint32_t *word);

/* Lets a loop that waits for another thread yield to a second thread of the same core. */
static inline void platform_pause(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

/* Writes a text that is the same for all processes which see each other's numbers and use the same network, until the host starts
 * again. */
bool platform_host_identity(char *text, size_t capacity);

#endif
