/* threads.h: threads, and what they wait for (threads.c); the signals that a thread receives
 * (signals.c).
 *
 * The structs are storage for the system's own objects, which posix/threads.c checks to fit. */
#ifndef TOCHA_PLATFORM_THREADS_H
#define TOCHA_PLATFORM_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct platform_thread {
  uint64_t storage[1];
} platform_thread;
typedef struct platform_mutex {
  uint64_t storage[8];
} platform_mutex;
typedef struct platform_condition {
  uint64_t storage[8];
} platform_condition;

/* --- threads ----------------------------------------------------------------------------------- */

/* Starts a thread that calls run(user) and receives no signals but those of its own faults. stack:
 * bytes of its stack, 0 for the system's choice. thread: NULL if the thread is never joined.
 * Returns false if no thread can be started. */
bool platform_start_thread(platform_thread *thread, size_t stack, void *(*run)(void *user),
                           void *user);
/* Waits until the thread has ended. */
void platform_join_thread(platform_thread *thread);
/* Lets the thread end without being joined. */
void platform_detach_thread(platform_thread *thread);
platform_thread platform_this_thread(void);

/* Returns the nanoseconds of processor time that a thread has used, -1 if that is unknown. */
int64_t platform_nanoseconds_of_thread(const platform_thread *thread);

/* Returns the system's number of this thread, 0 if it has none. */
long platform_thread_number(void);
/* Gives the thread of that number the lowest priority, if the system has priorities of threads. */
void platform_lower_priority(long thread_number);

/* Lets another thread run that waits for a processor, if there is one. */
void platform_yield(void);

/* --- waiting ----------------------------------------------------------------------------------- */

bool platform_mutex_open(platform_mutex *mutex);
void platform_mutex_close(platform_mutex *mutex);
void platform_lock(platform_mutex *mutex);
void platform_unlock(platform_mutex *mutex);

bool platform_condition_open(platform_condition *condition);
void platform_condition_close(platform_condition *condition);
/* Unlocks the mutex, waits for a call of platform_wake or platform_wake_all, and locks it again. It
 * may also return without such a call. */
void platform_wait(platform_condition *condition, platform_mutex *mutex);
/* Does the same until platform_nanoseconds() is `end`. Returns false if that time is over. */
bool platform_wait_until(platform_condition *condition, platform_mutex *mutex, int64_t end);
/* Wakes one of the threads that wait, or all of them. */
void platform_wake(platform_condition *condition);
void platform_wake_all(platform_condition *condition);

/* Zero-initialized: `function` has not run. */
typedef struct platform_once {
  atomic_int state;
  uint64_t storage[2];
} platform_once;

/* Calls `function` with `user` unless an earlier call with the same `once` did. Returns when that call
 * has ended. */
void platform_call_once(platform_once *once, void (*function)(const void *user), const void *user);

/* Lets fork call `before`, and after it `in_parent` or `in_child`. */
void platform_watch_forks(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Returns the number of the process, by which the child of a fork knows that its threads are gone. */
int64_t platform_process(void);

/* --- signals ----------------------------------------------------------------------------------- */

enum { PLATFORM_SIGNAL_WORDS = 16 };

/* Blocks all signals in this thread but those of its own faults. Writes to `before` the signals
 * that were blocked. */
void platform_block_signals(uint64_t before[PLATFORM_SIGNAL_WORDS]);
void platform_restore_signals(const uint64_t before[PLATFORM_SIGNAL_WORDS]);

/* Blocks the signal of a write to a closed connection in this thread: the write only fails. Returns false if it was blocked
 * already. */
bool platform_hold_broken_pipes(void);
/* Drops those that came meanwhile, and lets further ones through. */
void platform_release_broken_pipes(void);

#endif
