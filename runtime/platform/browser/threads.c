/* threads.c: no thread starts, so nobody else holds a lock, waits or has to be awaited. */
#include <errno.h>

#include "platform/platform.h"

/* --- threads ----------------------------------------------------------------------------------- */

bool platform_start_thread(platform_thread *thread, size_t stack, void *(*run)(void *user),
                           void *user) {
  (void)thread, (void)stack, (void)run, (void)user;
  errno = EAGAIN;
  return false;
}

void platform_join_thread(platform_thread *thread) { (void)thread; }

void platform_detach_thread(platform_thread *thread) { (void)thread; }

platform_thread platform_this_thread(void) { return (platform_thread){{0}}; }

int64_t platform_nanoseconds_of_thread(const platform_thread *thread) {
  (void)thread;
  return -1;
}

long platform_thread_number(void) { return 0; }

void platform_lower_priority(long thread_number) { (void)thread_number; }

/* --- waiting ----------------------------------------------------------------------------------- */

bool platform_mutex_open(platform_mutex *mutex) {
  (void)mutex;
  return true;
}

void platform_mutex_close(platform_mutex *mutex) { (void)mutex; }

void platform_lock(platform_mutex *mutex) { (void)mutex; }

void platform_unlock(platform_mutex *mutex) { (void)mutex; }

bool platform_condition_open(platform_condition *condition) {
  (void)condition;
  return true;
}

void platform_condition_close(platform_condition *condition) { (void)condition; }

void platform_wait(platform_condition *condition, platform_mutex *mutex) {
  (void)condition, (void)mutex;
}

/* Nobody would wake the caller, so the time counts as over. */
bool platform_wait_until(platform_condition *condition, platform_mutex *mutex, int64_t end) {
  (void)condition, (void)mutex, (void)end;
  return false;
}

void platform_wake(platform_condition *condition) { (void)condition; }

void platform_wake_all(platform_condition *condition) { (void)condition; }

void platform_call_once(platform_once *once, void (*function)(const void *user), const void *user) {
  if (!atomic_exchange(&once->state, 1)) function(user);
}

void platform_watch_forks(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  (void)before, (void)in_parent, (void)in_child;
}

void platform_yield(void) {}

int64_t platform_process(void) { return 1; }
