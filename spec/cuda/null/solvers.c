/* solvers.c: the functions of cuSOLVER, and those of cuBLAS for factors, that do nothing (runtime.cpp), in both libraries. Only the
 * symbols are here, without the libraries' parameters, which none reads. At its end the program appends to the file that
 * NULL_CUBLAS_COUNTS names a line `solver calls`. */
#include <stdio.h>
#include <stdlib.h>

static long long calls;

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("NULL_CUBLAS_COUNTS");
  FILE *file = path && calls ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "solver %lld\n", calls);
  fclose(file);
}

#define NOTHING(name)                                                                              \
  int name(void);                                                                                  \
  int name(void) { return 0; }
#define COUNTED(name)                                                                              \
  int name(void);                                                                                  \
  int name(void) { return calls++, 0; }
int cusolverGetVersion(int *version);
int cusolverGetVersion(int *version) {
  *version = 12001;
  return 0;
}

#define BOTH(define, before, after) define(before##S##after) define(before##D##after)

BOTH(COUNTED, cublas, trsm_v2)
BOTH(COUNTED, cublas, trsmBatched)
BOTH(COUNTED, cublas, getrfBatched)
BOTH(COUNTED, cublas, getrsBatched)

#define SOLVER(name) BOTH(COUNTED, cusolverDn, name)
#define SOLVER_COMMON(name) NOTHING(cusolverDn##name)
#include "../../../cuda/linalg/solver_functions.def"
