/* threads.c: the threads of POSIX. */
#define _GNU_SOURCE /* syscall */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

#include "platform/platform.h"

/* Fails to compile if a struct of threads.h is too small for the system's object, or not aligned as
 * it must be. */
#define CHECK_STORAGE(type, own)                                                                   \
  _Static_assert(sizeof(type) <= sizeof((own *)0)->storage && _Alignof(type) <= _Alignof(own),     \
                 #own " has no room for " #type)
CHECK_STORAGE(pthread_t, platform_thread);
CHECK_STORAGE(pthread_mutex_t, platform_mutex);
CHECK_STORAGE(pthread_cond_t, platform_condition);
CHECK_STORAGE(pthread_once_t, platform_once);

static pthread_mutex_t *mutex_of(platform_mutex *m) { return (void *)m->storage; }
static pthread_cond_t *condition_of(platform_condition *c) { return (void *)c->storage; }

static pthread_t thread_of(const platform_thread *t) {
  pthread_t own;
  memcpy(&own, t->storage, sizeof own);
  return own;
}

/* --- threads ----------------------------------------------------------------------------------- */

bool platform_start_thread(platform_thread *thread, size_t stack, void *(*run)(void *user),
                           void *user) {
  pthread_t started;
  pthread_attr_t attributes;
  uint64_t before[PLATFORM_SIGNAL_WORDS];
  if (pthread_attr_init(&attributes)) return false;
  if (!thread) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack) pthread_attr_setstacksize(&attributes, stack);
  platform_block_signals(before); /* a thread begins with the mask of the one that starts it */
  bool done = pthread_create(&started, &attributes, run, user) == 0;
  platform_restore_signals(before);
  pthread_attr_destroy(&attributes);
  if (done && thread) memcpy(thread->storage, &started, sizeof started);
  return done;
}

int64_t platform_nanoseconds_of_thread(const platform_thread *thread) {
  clockid_t id;
  struct timespec t;
  if (pthread_getcpuclockid(thread_of(thread), &id) != 0 || clock_gettime(id, &t) != 0) return -1;
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void platform_join_thread(platform_thread *thread) { pthread_join(thread_of(thread), NULL); }

void platform_detach_thread(platform_thread *thread) { pthread_detach(thread_of(thread)); }

platform_thread platform_this_thread(void) {
  platform_thread thread = {{0}};
  pthread_t own = pthread_self();
  memcpy(thread.storage, &own, sizeof own);
  return thread;
}

long platform_thread_number(void) {
#ifdef __linux__
  return syscall(SYS_gettid);
#else
  return 0;
#endif
}

void platform_lower_priority(long thread_number) {
#ifdef __linux__
  enum { LOWEST = 19 };
  if (thread_number) (void)setpriority(PRIO_PROCESS, (id_t)thread_number, LOWEST);
#else
  (void)thread_number;
#endif
}

/* --- waiting ----------------------------------------------------------------------------------- */

bool platform_mutex_open(platform_mutex *mutex) {
  return pthread_mutex_init(mutex_of(mutex), NULL) == 0;
}

void platform_mutex_close(platform_mutex *mutex) { pthread_mutex_destroy(mutex_of(mutex)); }

void platform_lock(platform_mutex *mutex) { pthread_mutex_lock(mutex_of(mutex)); }

void platform_unlock(platform_mutex *mutex) { pthread_mutex_unlock(mutex_of(mutex)); }

bool platform_condition_open(platform_condition *condition) {
  return pthread_cond_init(condition_of(condition), NULL) == 0;
}

void platform_condition_close(platform_condition *condition) {
  pthread_cond_destroy(condition_of(condition));
}

void platform_wait(platform_condition *condition, platform_mutex *mutex) {
  pthread_cond_wait(condition_of(condition), mutex_of(mutex));
}

/* Conditions wait by the clock of the day, since not every system lets them choose another one. */
bool platform_wait_until(platform_condition *condition, platform_mutex *mutex, int64_t end) {
  enum { SECOND = 1000000000 };
  int64_t left = end - platform_nanoseconds(), at = platform_wall_clock() + (left > 0 ? left : 0);
  struct timespec until = {(time_t)(at / SECOND), (long)(at % SECOND)};
  return pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), &until) == 0;
}

void platform_wake(platform_condition *condition) { pthread_cond_signal(condition_of(condition)); }

void platform_wake_all(platform_condition *condition) {
  pthread_cond_broadcast(condition_of(condition));
}

/* The call that this thread would like to make, since pthread_once passes nothing on. */
static _Thread_local struct {
  void (*function)(const void *user);
  const void *user;
} wanted;

static void call_wanted(void) { wanted.function(wanted.user); }

/* The first call writes PTHREAD_ONCE_INIT, which is not zero on every system. */
void platform_call_once(platform_once *once, void (*function)(const void *user), const void *user) {
  enum { ZERO, BEING_WRITTEN, READY, CALLED };
  static const pthread_once_t fresh = PTHREAD_ONCE_INIT;
  int state = ZERO;
  if (atomic_load_explicit(&once->state, memory_order_acquire) == CALLED) return;
  if (atomic_compare_exchange_strong(&once->state, &state, BEING_WRITTEN)) {
    memcpy(once->storage, &fresh, sizeof fresh);
    atomic_store(&once->state, READY);
  }
  while (atomic_load(&once->state) < READY) continue;
  wanted.function = function;
  wanted.user = user;
  pthread_once((void *)once->storage, call_wanted);
  atomic_store(&once->state, CALLED);
}

void platform_watch_forks(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  (void)pthread_atfork(before, in_parent, in_child);
}

void platform_yield(void) { sched_yield(); }

int64_t platform_process(void) { return getpid(); }
