/* parallel.c: divides work into chunks, and runs them on several threads if that pays. The
 * chunks depend on n, the grain and the number of threads asked for, never on which threads
 * help. */
#include "tensor/parallel.h"

#include "platform/platform.h"
#include "tensor/interruptible.h"
#include "tensor/pool.h"

/* WORTH_NS: nanoseconds of work for which a sleeping helper is woken. SMALL_NS: nanoseconds of
 * work for each helper that is already awake. CHUNKS_EACH: chunks per thread, if the grain
 * allows. MAX_GRAINS: grains in a chunk. FEW_EACH: up to this many items per thread, the first
 * chunk is not measured if a helper is awake, because it would be a good part of all the work. */
enum { WORTH_NS = 50000, SMALL_NS = 6000, CHUNKS_EACH = 32, MAX_GRAINS = 8, FEW_EACH = 16 };

typedef struct work {
  void (*part)(void *user, int64_t begin, int64_t end);
  void *user;
  int64_t n, chunk;
  tocha_stop stop;
} work;

static void run_chunk(void *user, int64_t i) {
  const work *w = user;
  if (tocha_is_set(w->stop)) return;
  int64_t begin = i * w->chunk, left = w->n - begin;
  w->part(w->user, begin, begin + (left < w->chunk ? left : w->chunk));
}

/* Returns the size of a chunk: one to eight grains, so that each thread gets several and
 * interrupts come in time. A grain of 64 or more counts elements, and the chunk is then rounded
 * up to whole cache lines. */
static int64_t chunk_size(int64_t n, int64_t grain, int64_t threads) {
  int64_t chunk = n / (CHUNKS_EACH * threads), maximum = MAX_GRAINS * grain;
  if (chunk < grain) chunk = grain;
  if (chunk > maximum) chunk = maximum;
  if (chunk < n / TOCHA_MAX_CHUNKS + 1) chunk = n / TOCHA_MAX_CHUNKS + 1;
  return grain >= 64 ? (chunk + 63) / 64 * 64 : chunk;
}

/* Returns the number of helpers to call for the rest of a task, `left` nanoseconds of work. Sets
 * task->small. */
static int worth(tocha_pool_task *task, int64_t now, int64_t left) {
  task->small = left < WORTH_NS;
  if (!task->small) return task->helpers;
  int64_t maximum = left / SMALL_NS;
  if (maximum == 0 || !tocha_pool_takes_small(now, left)) return 0;
  return maximum < task->helpers ? (int)maximum : task->helpers;
}

/* Returns true unless interrupted. Inside a task of the pool the flag stays set for all of its
 * threads; the thread that began the task turns it into an error. The host is not asked here, where
 * short operators end. */
static bool goes_on(tocha_context *cx) {
  if (!tocha_is_requested(&cx->interrupted)) return true;
  return !tocha_in_pool() && !tocha_interrupted(cx);
}

static bool run(tocha_context *cx, const work *w, int helpers, bool measured) {
  tocha_pool_task task = {run_chunk, (void *)(uintptr_t)w, (w->n + w->chunk - 1) / w->chunk,
                          helpers, false};
  if (measured && helpers > 0 && task.chunks > 1) {
    int64_t start = platform_nanoseconds();
    task.small = w->n <= FEW_EACH * (helpers + 1) && tocha_pool_is_awake(start);
    if (!task.small) {
      run_chunk(task.user, 0);
      int64_t now = platform_nanoseconds();
      task.helpers = worth(&task, now, (now - start) * (task.chunks - 1));
      tocha_pool_run(&task, 1);
      return goes_on(cx);
    }
  }
  tocha_pool_run(&task, 0);
  return goes_on(cx);
}

bool tocha_parallel_for(tocha_context *cx, int64_t n, int64_t grain,
                        void (*part)(void *user, int64_t begin, int64_t end), void *user) {
  if (n <= 0) return true;
  if (n <= grain) {
    part(user, 0, n);
    return goes_on(cx);
  }
  int64_t threads = tocha_in_pool() ? 1 : cx->threads;
  bool parts = grain == 1 && n <= threads;
  work w = {part, user, n, parts ? 1 : chunk_size(n, grain, threads), &cx->interrupted};
  return run(cx, &w, (int)threads - 1, !parts);
}

bool tocha_parallel_parts(tocha_context *cx, int64_t parts, int64_t work_in_all,
                          void (*part)(void *user, int64_t begin, int64_t end), void *user) {
  work w = {part, user, parts, 1, &cx->interrupted};
  return run(cx, &w, work_in_all < TOCHA_WORTH_THREADS ? 0 : cx->threads - 1, false);
}
