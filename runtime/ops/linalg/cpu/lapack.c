/* lapack.c: finds LAPACK: in OpenBLAS, in a library of its own if OpenBLAS was built without it, or else in plain C. */
#include "ops/linalg/cpu/lapack.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/isa.h"
#include "core/library.h"
#include "core/process.h"
#include "ops/matmul/cpu/openblas.h"
#include "platform/platform.h"

static const tocha_symbol members[] = {
    {"getrf", offsetof(tocha_lapack, getrf)}, {"getrs", offsetof(tocha_lapack, getrs)},
    {"potrf", offsetof(tocha_lapack, potrf)}, {"potrs", offsetof(tocha_lapack, potrs)},
    {"potri", offsetof(tocha_lapack, potri)}, {"geqrf", offsetof(tocha_lapack, geqrf)},
    {"orgqr", offsetof(tocha_lapack, orgqr)}, {"ormqr", offsetof(tocha_lapack, ormqr)},
    {"gesdd", offsetof(tocha_lapack, gesdd)}, {"gebrd", offsetof(tocha_lapack, gebrd)},
    {"bdsdc", offsetof(tocha_lapack, bdsdc)}, {"ormbr", offsetof(tocha_lapack, ormbr)},
    {"syevd", offsetof(tocha_lapack, syevd)}, {"gels", offsetof(tocha_lapack, gels)},
    {"gelsy", offsetof(tocha_lapack, gelsy)}, {"gelsd", offsetof(tocha_lapack, gelsd)},
    {"gelss", offsetof(tocha_lapack, gelss)}, {"trsm", offsetof(tocha_lapack, trsm)},
    {"sytrf", offsetof(tocha_lapack, sytrf)}, {"sytrs", offsetof(tocha_lapack, sytrs)},
    {"sytrd", offsetof(tocha_lapack, sytrd)}, {"ormtr", offsetof(tocha_lapack, ormtr)},
    {"gemm", offsetof(tocha_lapack, gemm)},   {"syrk", offsetof(tocha_lapack, syrk)},
    {"laswp", offsetof(tocha_lapack, laswp)}, {"larft", offsetof(tocha_lapack, larft)},
    {"larfb", offsetof(tocha_lapack, larfb)},
};

static const float floats[] = {1, -1};
static const double doubles[] = {1, -1};
/* One set of functions for each type of elements, in this order. */
enum { SINGLE, DOUBLE, TYPES };
static const char letters[TYPES] = {[SINGLE] = 's', [DOUBLE] = 'd'};
static tocha_lapack functions[TYPES] = {
    [SINGLE] = {.item = sizeof(float),
                .real_item = sizeof(float),
                .one = &floats[0],
                .minus_one = &floats[1]},
    [DOUBLE] = {.item = sizeof(double),
                .real_item = sizeof(double),
                .one = &doubles[0],
                .minus_one = &doubles[1]},
};
static bool found;

static int type_of(tocha_dtype dtype) { return dtype == TOCHA_FLOAT64 ? DOUBLE : SINGLE; }

static bool find_functions(void *library, char letter, tocha_lapack *f) {
  char name[16];
  f->openmp = tocha_openmp_of(library);
  for (int i = 0; i < TOCHA_COUNT(members); i++) {
    snprintf(name, sizeof name, "%c%s_", letter, members[i].name);
    if (!tocha_find_function(library, name, (char *)f + members[i].offset)) return false;
  }
  return true;
}

static bool find_all(void *library) {
  for (int type = 0; type < TYPES; type++)
    if (!find_functions(library, letters[type], &functions[type])) return false;
  return true;
}

static void find(const void *cx) {
  static const char *const files[] = {"liblapack.so.3", "liblapack.so", "liblapack.dylib", NULL};
  const tocha_openblas *blas = tocha_find_openblas(cx);
  if (!blas) return;
  found = find_all(blas->library);
  void *library = found ? NULL : tocha_open_library(cx, "TOCHA_LAPACK", files);
  if (library) found = find_all(library);
}

/* --- without a library ----------------------------------------------------------------------------------------- */

extern const tocha_lapack
    *const tocha_plain_factors_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];
extern const tocha_lapack
    *const tocha_plain_reflections_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];
extern const tocha_lapack
    *const tocha_plain_spectra_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

static tocha_lapack plain[TOCHA_ISA_COUNT][TYPES];

/* Copies the functions that one of the plain C files defines. */
static void add_functions(tocha_lapack *to, const tocha_lapack *from) {
  for (int i = 0; from && i < TOCHA_COUNT(members); i++) {
    void (*function)(void);
    memcpy(&function, (const char *)from + members[i].offset, sizeof function);
    if (function) memcpy((char *)to + members[i].offset, &function, sizeof function);
  }
}

static void collect_plain(tocha_isa isa, tocha_dtype dtype) {
  tocha_lapack *l = &plain[isa][type_of(dtype)];
  const tocha_lapack *elements = &functions[type_of(dtype)];
  *l = (tocha_lapack){.is_plain = true,
                      .item = elements->item,
                      .real_item = elements->real_item,
                      .one = elements->one,
                      .minus_one = elements->minus_one};
  add_functions(l, tocha_plain_factors_loops_table[isa][dtype]);
  add_functions(l, tocha_plain_reflections_loops_table[isa][dtype]);
  add_functions(l, tocha_plain_spectra_loops_table[isa][dtype]);
}

static void collect_all_plain(const void *unused) {
  (void)unused;
  for (int isa = 0; isa < TOCHA_ISA_COUNT; isa++) {
    collect_plain((tocha_isa)isa, TOCHA_FLOAT32);
    collect_plain((tocha_isa)isa, TOCHA_FLOAT64);
  }
}

const tocha_lapack *tocha_find_lapack(const tocha_context *cx, tocha_dtype dtype) {
  static platform_once searched, collected;
  bool refused = tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES);
  if (!refused) platform_call_once(&searched, find, cx);
  if (!refused && found) return &functions[type_of(dtype)];
  platform_call_once(&collected, collect_all_plain, NULL);
  return &plain[cx->isa][type_of(dtype)];
}
