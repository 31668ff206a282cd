/* parallel.c: work in chunks, on several threads where it is worth them. The chunks depend on n, the grain and the
 * number of threads asked for, never on who comes. */
#include "tensor/parallel.h"

#include "tensor/pool.h"
#include "tensor/pieces.h"

/* Nanoseconds of work: what is worth waking a helper, and what is worth one that is awake. Of a few things for each
 * thread the first is not measured where a helper is awake: it would be a good part of all. */
enum { WORTH_NS = 50000, SMALL_NS = 6000, CHUNKS_EACH = 32, MOST_GRAINS = 8, FEW_EACH = 16 };

typedef struct work {
  void (*part)(void *user, int64_t begin, int64_t end);
  void *user;
  int64_t n, chunk;
  const atomic_int *stop;
} work;

static void run_chunk(void *user, int64_t i) {
  const work *w = user;
  if (tocha_is_set(w->stop)) return;
  int64_t begin = i * w->chunk, left = w->n - begin;
  w->part(w->user, begin, begin + (left < w->chunk ? left : w->chunk));
}

/* From one to eight grains, so that there are some for each thread and interrupts come in time; in whole cache
 * lines where the grain says that elements are meant. */
static int64_t chunk_size(int64_t n, int64_t grain, int64_t threads) {
  int64_t chunk = n / (CHUNKS_EACH * threads), most = MOST_GRAINS * grain;
  if (chunk < grain) chunk = grain;
  if (chunk > most) chunk = most;
  if (chunk < n / TOCHA_MOST_CHUNKS + 1) chunk = n / TOCHA_MOST_CHUNKS + 1;
  return grain >= 64 ? (chunk + 63) / 64 * 64 : chunk;
}

/* How many of the helpers are called for what is left of a job. */
static int worth(tocha_job *job, int64_t now, int64_t left) {
  job->small = left < WORTH_NS;
  if (!job->small) return job->helpers;
  int64_t most = left / SMALL_NS;
  if (most == 0 || !tocha_pool_takes_small(now, left)) return 0;
  return most < job->helpers ? (int)most : job->helpers;
}

/* Within a job of the pool the flag stays for all its threads; who began the job makes an error of it. */
static bool goes_on(tocha_context *cx) {
  return tocha_in_pool() ? !tocha_is_set(&cx->interrupted) : !tocha_interrupted(cx);
}

static bool run(tocha_context *cx, const work *w, int helpers, bool measured) {
  tocha_job job = {run_chunk, (void *)(uintptr_t)w, (w->n + w->chunk - 1) / w->chunk, helpers,
                   false};
  if (measured && helpers > 0 && job.chunks > 1) {
    int64_t start = tocha_nanoseconds();
    job.small = w->n <= FEW_EACH * (helpers + 1) && tocha_pool_is_awake(start);
    if (!job.small) {
      run_chunk(job.user, 0);
      int64_t now = tocha_nanoseconds();
      job.helpers = worth(&job, now, (now - start) * (job.chunks - 1));
      tocha_pool_run(&job, 1);
      return goes_on(cx);
    }
  }
  tocha_pool_run(&job, 0);
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
