/* threads.c: OpenMP's number of threads for a library. */
#include "ops/matmul/cpu/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* A region of one thread has settings of its own. */
bool tocha_with_threads(tocha_context *cx, void (*run)(void *user), void *user) {
#ifdef _OPENMP
  if (omp_in_parallel()) return false;
  if (omp_get_max_threads() != cx->threads) {
#pragma omp parallel num_threads(1)
    {
      omp_set_num_threads(cx->threads);
      run(user);
    }
    return true;
  }
#else
  (void)cx;
#endif
  run(user);
  return true;
}
