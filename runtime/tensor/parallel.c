/* parallel.c: work on several threads. */
#include "tensor/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Chunks are handed out one after the other; each thread looks at the interrupt flag before it
 * takes one. The chunk is a multiple of 64 elements so that threads do not share cache lines. */
bool tocha_parallel_for(tocha_context *cx, int64_t n, int64_t grain,
                        void (*part)(void *user, int64_t begin, int64_t end), void *user) {
  if (n <= 0) return true;
  if (n <= grain) {
    part(user, 0, n);
    return !tocha_interrupted(cx);
  }
  int64_t threads = cx->threads, limit = (n + grain - 1) / grain;
  if (threads > limit) threads = limit;
  int64_t pieces = threads > 1 ? threads : 1;
  int64_t chunk = (n + pieces - 1) / pieces;
  int64_t most =
      grain > ((int64_t)1 << 22) ? grain : (int64_t)1 << 22; /* interrupts come in time */
  if (chunk > most) chunk = most;
  if (grain >= 64) chunk = (chunk + 63) / 64 * 64;
  int64_t chunks = (n + chunk - 1) / chunk;
#ifdef _OPENMP
  if (threads > 1 && !omp_in_parallel()) {
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
      if (atomic_load_explicit(&cx->interrupted, memory_order_relaxed)) continue;
      int64_t begin = c * chunk, end = begin + chunk < n ? begin + chunk : n;
      part(user, begin, end);
    }
    return !tocha_interrupted(cx);
  }
#endif
  for (int64_t c = 0; c < chunks; c++) {
    if (atomic_load_explicit(&cx->interrupted, memory_order_relaxed)) break;
    int64_t begin = c * chunk, end = begin + chunk < n ? begin + chunk : n;
    part(user, begin, end);
  }
  return !tocha_interrupted(cx);
}
