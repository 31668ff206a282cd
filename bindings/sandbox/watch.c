/* watch.c: the clock of a sandbox. A hook that looked at a clock would slow every loop, so a thread
 * sleeps until a script's time is over. */
#include "sandbox/sandbox.h"

enum { STACK = 65536 };
static const int64_t NEVER = INT64_MAX, SECOND = 1000000000;

/* Returns the limit that is reached now, or writes to `wake` when to look again. */
static sandbox_limit look(const sandbox_watch *w, int64_t *wake) {
  int64_t now = platform_nanoseconds();
  *wake = w->due;
  if (now >= w->due) return SANDBOX_TIME;
  if (w->processor_due == NEVER) return SANDBOX_RUNS;
  int64_t used = platform_nanoseconds_of_thread(&w->worker);
  if (used >= w->processor_due) return SANDBOX_PROCESSOR;
  int64_t earliest =
      now + (w->processor_due - used); /* a thread cannot use more than the clock gives */
  if (used >= 0 && earliest < *wake) *wake = earliest;
  return SANDBOX_RUNS;
}

static void *keep_watch(void *user) {
  sandbox *s = user;
  sandbox_watch *w = &s->watch;
  platform_lock(&w->lock);
  while (!w->stops) {
    int64_t wake;
    sandbox_limit limit = look(w, &wake);
    if (limit != SANDBOX_RUNS) {
      end_sandbox(s, limit);
      w->due = w->processor_due = NEVER;
    } else if (wake == NEVER) {
      platform_wait(&w->changed, &w->lock);
    } else {
      platform_wait_until(&w->changed, &w->lock, wake);
    }
  }
  platform_unlock(&w->lock);
  return NULL;
}

/* Starts the thread. Returns false if the system allows no more. */
static bool start_thread(sandbox *s) {
  sandbox_watch *w = &s->watch;
  w->started = false;
  if (!platform_mutex_open(&w->lock)) return false;
  if (!platform_condition_open(&w->changed)) {
    platform_mutex_close(&w->lock);
    return false;
  }
  w->process = platform_process();
  w->started = platform_start_thread(&w->thread, STACK, keep_watch, s);
  if (w->started) return true;
  platform_condition_close(&w->changed);
  platform_mutex_close(&w->lock);
  return false;
}

bool start_watch(sandbox *s) {
  sandbox_watch *w = &s->watch;
  w->due = w->processor_due = NEVER;
  if (s->given.seconds <= 0 && s->given.processor_seconds <= 0) return true;
  return start_thread(s);
}

/* Returns true if the process has a thread that keeps watch. */
static bool is_watched(const sandbox_watch *w) {
  return w->started && w->process == platform_process();
}

/* Returns `from` later by a number of seconds, 0 meaning never. */
static int64_t later(int64_t from, double seconds) {
  return seconds > 0 && seconds < 1e9 ? from + (int64_t)(seconds * (double)SECOND) : NEVER;
}

void restart_watch(sandbox *s) {
  sandbox_watch *w = &s->watch;
  if (w->started && !is_watched(w)) start_thread(s); /* in the child of a fork */
  if (w->started) platform_lock(&w->lock);
  w->worker = platform_this_thread();
  w->due = later(platform_nanoseconds(), s->given.seconds);
  w->processor_due = later(platform_thread_nanoseconds(), s->given.processor_seconds);
  if (!w->started) return;
  platform_wake(&w->changed);
  platform_unlock(&w->lock);
}

void pause_watch(sandbox *s) {
  sandbox_watch *w = &s->watch;
  if (!is_watched(w)) return;
  platform_lock(&w->lock); /* waits until an end that is under way is complete */
  w->due = w->processor_due = NEVER;
  platform_unlock(&w->lock);
}

void stop_watch(sandbox *s) {
  sandbox_watch *w = &s->watch;
  if (!is_watched(w)) return;
  platform_lock(&w->lock);
  w->stops = true;
  platform_wake(&w->changed);
  platform_unlock(&w->lock);
  platform_join_thread(&w->thread);
  w->started = false;
  platform_condition_close(&w->changed);
  platform_mutex_close(&w->lock);
}
