/* openblas.c: opens OpenBLAS. */
#include "ops/matmul/cpu/openblas.h"

#include <stdio.h>
#include <string.h>

#include "core/library.h"
#include "core/process.h"
#include "platform/platform.h"

static const tocha_symbol members[] = {
    {"cblas_sgemm", offsetof(tocha_openblas, sgemm)},
    {"cblas_dgemm", offsetof(tocha_openblas, dgemm)},
    {"cblas_sgemv", offsetof(tocha_openblas, sgemv)},
    {"cblas_dgemv", offsetof(tocha_openblas, dgemv)},
    {"cblas_sdot", offsetof(tocha_openblas, sdot)},
    {"cblas_ddot", offsetof(tocha_openblas, ddot)},
    {"openblas_get_config", offsetof(tocha_openblas, get_config)},
    {"openblas_get_corename", offsetof(tocha_openblas, get_corename)},
    {"openblas_get_parallel", offsetof(tocha_openblas, get_parallel)},
    {"openblas_set_num_threads", offsetof(tocha_openblas, set_num_threads)},
};

static tocha_openblas functions;
static const tocha_openblas *found;

static bool find_all(void *library, tocha_openblas *f) {
  f->library = library;
  f->openmp = tocha_openmp_of(library);
  return tocha_find_functions(library, members, TOCHA_COUNT(members), f);
}

/* Returns true if there is enough address space (ulimit -v) for OpenBLAS. If OpenBLAS cannot allocate its buffers, it tries
 * again for ever, so the library is not opened then. */
static bool has_address_space(void) { return platform_address_space() >= (uint64_t)2 << 30; }

/* Opens OpenBLAS, with one thread. A build with threads of its own has one number of threads for the whole process. A build
 * with OpenMP has one for each calling thread, which is set around the calls (openmp.h). */
static void open_openblas(const void *cx) {
  static const char *const files[] = {"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib",
                                      NULL};
  enum { OWN_THREADS = 1 };
  if (!has_address_space()) return;
  void *library = tocha_open_library(cx, "TOCHA_BLAS", files);
  if (!library || !find_all(library, &functions)) return;
  if (functions.get_parallel() == OWN_THREADS) functions.set_num_threads(1);
  found = &functions;
}

const tocha_openblas *tocha_find_openblas(const tocha_context *cx) {
  static platform_once once;
  if (tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES)) return NULL;
#ifdef TOCHA_USE_BLAS
  platform_call_once(&once, open_openblas, cx);
#else
  (void)once;
  (void)open_openblas;
#endif
  return found;
}

const char *tocha_blas_version(char *text, size_t capacity) {
  const tocha_openblas *blas = tocha_find_openblas(NULL);
  if (!blas || !text || !capacity) return NULL;
  const char *config = blas->get_config(); /* "OpenBLAS 0.3.21 DYNAMIC_ARCH ..." */
  int version = 0;
  for (int words = 0; config[version] && (config[version] != ' ' || ++words < 2); version++)
    continue;
  snprintf(text, capacity, "%.*s, kernels for %s", version, config, blas->get_corename());
  return text;
}
