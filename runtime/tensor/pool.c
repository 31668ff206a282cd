/* pool.c: the helper threads. They belong to the process, start when they are first needed, and
 * are shared by all contexts.
 *
 * A running task occupies one of a few slots. Its chunks are divided into one range for the
 * caller and one for each helper. Each thread starts with its own range, so that it meets the
 * same memory in one task after another, and then takes chunks of the other ranges. A thread
 * takes a chunk by raising the range's `next`, which also contains the number of the task. A
 * helper that lost its core between reading `next` and raising it finds another number, and
 * takes no chunk. So the caller never waits for a helper that has not begun. */
#include "tensor/pool.h"

#include <stdatomic.h>
#include <string.h>

#include "core/interruption.h"
#include "platform/platform.h"

/* SPINS: checks before a waiting thread sleeps, about 50 us, as SPIN_NS says. IN_A_ROW: a helper
 * is woken after this many small tasks, each at most SPIN_NS after the one before. */
enum { SLOTS = 16, SPINS = 2400, SPIN_NS = 50000, IN_A_ROW = 8, MAX_HELPERS = 4095 };
/* If a small task had to wait for a helper that had lost its core, no small task is shared for
 * CAUTION times the time lost. */
enum { CAUTION = 8 };

/* Layout of `next` and `comers`: the number of the task in the upper 40 bits, below it the next
 * chunk of a range, or the number of helpers that have joined. */
enum { COUNT_BITS = 24, MAX_RANGES = 64 };
static const uint64_t TASK = (uint64_t)1 << COUNT_BITS, CLOSED = ((uint64_t)1 << COUNT_BITS) - 1;

typedef struct range {
  _Alignas(64) _Atomic uint64_t next;
} range;

typedef struct slot {
  _Alignas(64) atomic_bool used;
  _Atomic uint64_t comers;
  void (*_Atomic run)(void *user, int64_t chunk);
  void *_Atomic user;
  _Atomic int64_t first, chunks;
  atomic_int helpers, ranges;
  _Alignas(64) _Atomic int64_t done;
  atomic_bool awaited; /* the caller sleeps until `done` equals `chunks` */
  range range[MAX_RANGES];
} slot;

static struct pool {
  slot slots[SLOTS];
  atomic_uint tasks; /* grows with each task; an idle helper waits for it to change */
  atomic_int sleepers;
  atomic_int started;
  _Atomic int64_t small_until,
      busy_until;         /* when the last small task ends; no small task is shared before
                          * busy_until */
  atomic_int small_tasks; /* number of small tasks that came one after the other */
  platform_mutex lock;    /* opened, as are the conditions, before the first helper starts */
  platform_condition task_came, task_done;
} pool;

static _Thread_local bool inside;

bool tocha_in_pool(void) { return inside; }

static void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* --- chunks ------------------------------------------------------------------------------------------- */

typedef struct taken {
  void (*run)(void *user, int64_t chunk);
  void *user;
  int64_t chunk, chunks;
} taken;

/* Returns the first chunk of range i, which is also the end of range i - 1. */
static int64_t range_begin(int64_t first, int64_t chunks, int ranges, int i) {
  return first + (chunks - first) * i / ranges;
}

/* Takes the next chunk of range i. The fields read here are those of `task` if `next` has not
 * changed meanwhile. Returns false if the range is used up or the slot holds another task. */
static bool take(slot *s, uint64_t task, int i, taken *t) {
  _Atomic uint64_t *next = &s->range[i].next;
  uint64_t seen = atomic_load(next);
  for (;;) {
    t->run = atomic_load(&s->run);
    t->user = atomic_load(&s->user);
    t->chunks = atomic_load(&s->chunks);
    t->chunk = (int64_t)(seen & CLOSED);
    int64_t end = range_begin(atomic_load(&s->first), t->chunks, atomic_load(&s->ranges), i + 1);
    if (seen / TASK != task || t->chunk >= end) return false;
    if (atomic_compare_exchange_strong(next, &seen, seen + 1)) return true;
  }
}

static void run_taken(slot *s, const taken *t) {
  inside = true;
  t->run(t->user, t->chunk);
  inside = false;
  if (atomic_fetch_add(&s->done, 1) + 1 == t->chunks && atomic_load(&s->awaited)) {
    platform_lock(&pool.lock);
    platform_wake_all(&pool.task_done);
    platform_unlock(&pool.lock);
  }
}

/* Runs the chunks of the range `own`, then those of the ranges after it. Returns true if it ran
 * any. */
static bool take_all(slot *s, uint64_t task, int own, int ranges) {
  bool worked = false;
  for (int i = 0; i < ranges; i++) {
    taken t;
    for (int at = (own + i) % ranges; take(s, task, at, &t); worked = true) run_taken(s, &t);
  }
  return worked;
}

/* Joins the task of a slot as helper number `helper`, counted from 0, unless enough helpers have
 * joined. Returns true if it ran a chunk. */
static bool come(slot *s, int helper) {
  uint64_t comers = atomic_load(&s->comers);
  int ranges;
  do {
    ranges = atomic_load(&s->ranges);
    if ((comers & CLOSED) >= (uint64_t)atomic_load(&s->helpers)) return false;
  } while (!atomic_compare_exchange_strong(&s->comers, &comers, comers + 1));
  return take_all(s, comers / TASK, ranges > 1 ? 1 + helper % (ranges - 1) : 0, ranges);
}

/* --- helpers -------------------------------------------------------------------------------------------- */

static void await_task(unsigned seen) {
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load(&pool.tasks) != seen) return;
    pause_a_little();
  }
  platform_lock(&pool.lock);
  atomic_fetch_add(&pool.sleepers, 1);
  while (atomic_load(&pool.tasks) == seen) platform_wait(&pool.task_came, &pool.lock);
  atomic_fetch_sub(&pool.sleepers, 1);
  platform_unlock(&pool.lock);
}

static void *help(void *number) {
  tocha_never_poll_here();
  for (;;) {
    unsigned seen = atomic_load(&pool.tasks);
    bool worked = false;
    for (int i = 0; i < SLOTS; i++) worked |= come(&pool.slots[i], (int)(intptr_t)number);
    if (!worked) await_task(seen);
  }
  return NULL;
}

static void open_lock(void) {
  platform_mutex_open(&pool.lock);
  platform_condition_open(&pool.task_came);
  platform_condition_open(&pool.task_done);
}

/* Handlers for fork, which copies a single thread. In the child no helper runs and no caller
 * waits, so all helpers are started again. */
static void lock_for_fork(void) { platform_lock(&pool.lock); }
static void unlock_after_fork(void) { platform_unlock(&pool.lock); }
static void restart_in_child(void) {
  memset(pool.slots, 0, sizeof pool.slots);
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.started, 0);
  open_lock();
}
static void prepare(const void *unused) {
  (void)unused;
  open_lock();
  platform_watch_forks(lock_for_fork, unlock_after_fork, restart_in_child);
}

/* Starts threads until there are `helpers`, or fewer if the system allows no more. */
static void start(int helpers) {
  static platform_once once;
  platform_call_once(&once, prepare, NULL);
  platform_lock(&pool.lock);
  for (intptr_t number; (number = atomic_load(&pool.started)) < helpers;) {
    if (!platform_start_thread(NULL, 0, help, (void *)number)) break;
    atomic_fetch_add(&pool.started, 1);
  }
  platform_unlock(&pool.lock);
}

/* --- the caller ----------------------------------------------------------------------------------------- */

static slot *free_slot(void) {
  for (int i = 0; i < SLOTS; i++)
    if (!atomic_exchange(&pool.slots[i].used, true)) return &pool.slots[i];
  return NULL;
}

/* Publishes a task in a slot. Returns the number of the task. */
static uint64_t open_slot(slot *s, const tocha_pool_task *task, int64_t first) {
  uint64_t number = atomic_load(&s->comers) / TASK + 1;
  int64_t left = task->chunks - first;
  int ranges = task->helpers < MAX_RANGES - 1 ? task->helpers + 1 : MAX_RANGES;
  if (left < ranges) ranges = (int)left;
  atomic_store(&s->comers, number * TASK | CLOSED);
  /* also closes the ranges of the last task, so that a delayed helper of that task finds no chunk */
  int before = atomic_load(&s->ranges), closed = before > ranges ? before : ranges;
  for (int i = 0; i < closed; i++) atomic_store(&s->range[i].next, number * TASK | CLOSED);
  atomic_store(&s->run, task->run);
  atomic_store(&s->user, task->user);
  atomic_store(&s->first, first);
  atomic_store(&s->chunks, task->chunks);
  atomic_store(&s->done, first);
  atomic_store(&s->helpers, task->helpers < MAX_HELPERS ? task->helpers : MAX_HELPERS);
  atomic_store(&s->ranges, ranges);
  for (int i = 0; i < ranges; i++) {
    int64_t begin = range_begin(first, task->chunks, ranges, i);
    atomic_store(&s->range[i].next, number * TASK | (uint64_t)begin);
  }
  atomic_store(&s->comers, number * TASK);
  return number;
}

static void call_helpers(int64_t wanted) {
  atomic_fetch_add(&pool.tasks, 1);
  int sleepers = atomic_load(&pool.sleepers);
  if (sleepers == 0) return;
  platform_lock(&pool.lock); /* a helper that is about to sleep does so first, and is then woken */
  platform_unlock(&pool.lock);
  if (wanted >= sleepers)
    platform_wake_all(&pool.task_came);
  else
    for (int64_t i = 0; i < wanted; i++) platform_wake(&pool.task_came);
}

/* Waits for the chunks that helpers have begun. If a small task waited long, shares no small task
 * for a while (CAUTION). */
static void await_done(slot *s, int64_t chunks, bool small) {
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load(&s->done) == chunks) return;
    pause_a_little();
  }
  int64_t start = platform_nanoseconds();
  platform_lock(&pool.lock);
  atomic_store(&s->awaited, true);
  while (atomic_load(&s->done) != chunks) platform_wait(&pool.task_done, &pool.lock);
  atomic_store(&s->awaited, false);
  platform_unlock(&pool.lock);
  int64_t now = platform_nanoseconds();
  if (small) atomic_store(&pool.busy_until, now + CAUTION * (now - start + SPIN_NS));
}

static bool is_calm(int64_t now) { return now >= atomic_load(&pool.busy_until); }

bool tocha_pool_is_awake(int64_t now) {
  return is_calm(now) && atomic_load(&pool.started) > atomic_load(&pool.sleepers);
}

bool tocha_pool_takes_small(int64_t now, int64_t work) {
  int64_t last = atomic_exchange(&pool.small_until, now + work);
  if (now - last > SPIN_NS) atomic_store(&pool.small_tasks, 0);
  int tasks = atomic_fetch_add(&pool.small_tasks, 1);
  return tocha_pool_is_awake(now) || (tasks >= IN_A_ROW && is_calm(now));
}

void tocha_pool_run(const tocha_pool_task *task, int64_t first) {
  slot *s = task->helpers > 0 && !inside && task->chunks - first > 1 ? free_slot() : NULL;
  if (!s) {
    for (int64_t i = first; i < task->chunks; i++) task->run(task->user, i);
    return;
  }
  if (atomic_load(&pool.started) < task->helpers) start(task->helpers);
  uint64_t number = open_slot(s, task, first);
  int64_t wanted = task->chunks - first - 1;
  call_helpers(wanted < task->helpers ? wanted : task->helpers);
  take_all(s, number, 0, atomic_load(&s->ranges));
  await_done(s, task->chunks, task->small);
  atomic_store(&s->used, false);
}
