/* machine.h: shared libraries, processors, memory, clocks and random bytes. */
#ifndef TOCHA_PLATFORM_MACHINE_H
#define TOCHA_PLATFORM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* --- shared libraries (libraries.c) ------------------------------------------------------------ */

/* Opens a shared library: the file at a path, or one that the loader finds by its name. Its symbols
 * are not visible to other libraries. Returns NULL if it cannot be opened. A library is never
 * closed, because its threads may outlive a call. */
void *platform_open_library(const char *file);
/* Returns the address of a symbol, or NULL if the library has none of that name. */
void *platform_find_symbol(void *library, const char *name);
/* Returns the reason why this thread's last platform_open_library failed. The text is valid until
 * the next call. */
const char *platform_library_problem(void);
/* Writes the folder of the library or program that `function` belongs to, with a slash at its end, or "" if the loader found
 * it without a path. Returns false if it is unknown or longer than `capacity` bytes. */
bool platform_folder_of(void (*function)(void), char *folder, size_t capacity);
/* Lets libraries that are loaded later use the names that leave the library, or program, which has the
 * function. A module that Lua has loaded does not do so by itself. */
void platform_share_names(void (*function)(void));

/* --- processors (processors.c) ----------------------------------------------------------------- */

/* Returns the number of processors of this machine that are switched on, 1 if it is unknown. */
int platform_processors(void);
/* Returns the number of processors that this process may use: those of its affinity (taskset), as far
 * as the quota of a container allows. 1 if it is unknown. */
int platform_usable_processors(void);
/* Returns the number of processors that the quotas of the control groups below `folder` allow, rounded
 * up, for a process whose groups the file `membership` lists; 0 if there is no quota. */
int platform_quota(const char *folder, const char *membership);

/* --- memory (memory.c) ------------------------------------------------------------------------- */

/* Allocates memory at a multiple of `alignment`, a power of two of at least sizeof(void *). The
 * caller frees it by free. */
void *platform_allocate_aligned(size_t alignment, size_t bytes);
/* Gives the C library's free memory back to the system, where the C library can do that. */
void platform_trim_memory(void);
/* Returns the bytes of memory that nothing uses, not even as a cache of files, or 0 if that is
 * unknown. */
uint64_t platform_free_memory(void);
/* Returns the bytes of address space that this process may use, UINT64_MAX if there is no limit. */
uint64_t platform_address_space(void);
/* Asks for huge pages behind a range that begins at such a page, or for none. Returns false if the
 * system has none. */
bool platform_use_huge_pages(void *start, size_t bytes, bool wanted);

/* --- clocks (clock.c) -------------------------------------------------------------------------- */

/* Returns the nanoseconds of a clock that is never set. */
int64_t platform_nanoseconds(void);
/* Returns the nanoseconds of processor time that this thread has used. */
int64_t platform_thread_nanoseconds(void);
/* Returns the nanoseconds since the beginning of 1970, as the machine's clock is set. */
int64_t platform_wall_clock(void);
/* Writes the parts of a number of seconds since the beginning of 1970, in universal time. Unlike
 * gmtime it may be called by several threads. */
bool platform_universal_time(int64_t seconds, struct tm *parts);
void platform_sleep(int64_t nanoseconds);

/* --- random bytes (random.c) ------------------------------------------------------------------- */

/* Writes at most 256 unpredictable bytes. Returns false if the system has no source of them. */
bool platform_random_bytes(void *to, size_t count);

#endif
