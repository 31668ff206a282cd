/* openmp.c: sets OpenMP's number of threads in a library. */
#include "ops/matmul/cpu/openmp.h"

#include "core/library.h"

/* Returns the functions of OpenMP, which may come from libraries that `library` is linked with. */
tocha_openmp tocha_openmp_of(void *library) {
  tocha_openmp openmp = {NULL, NULL};
  if (!tocha_find_function(library, "omp_get_max_threads", &openmp.get_max_threads) ||
      !tocha_find_function(library, "omp_set_num_threads", &openmp.set_num_threads))
    openmp = (tocha_openmp){NULL, NULL};
  return openmp;
}

int tocha_use_one_thread(const tocha_openmp *openmp) {
  int threads = openmp->get_max_threads ? openmp->get_max_threads() : 1;
  if (threads != 1) openmp->set_num_threads(1);
  return threads;
}

void tocha_restore_threads(const tocha_openmp *openmp, int threads) {
  if (threads != 1) openmp->set_num_threads(threads);
}
