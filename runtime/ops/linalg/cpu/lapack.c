/* lapack.c: finds LAPACK: in OpenBLAS, in a library of its own if OpenBLAS was built without it, or else in plain C. */
#include "ops/linalg/cpu/lapack.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/isa.h"
#include "core/library.h"
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
static tocha_lapack functions[] = {
    {.item = sizeof *floats, .one = &floats[0], .minus_one = &floats[1]},
    {.item = sizeof *doubles, .one = &doubles[0], .minus_one = &doubles[1]},
};
static bool found;

static bool find_all(void *library, char letter, tocha_lapack *f) {
  char name[16];
  f->openmp = tocha_openmp_of(library);
  for (int i = 0; i < TOCHA_COUNT(members); i++) {
    snprintf(name, sizeof name, "%c%s_", letter, members[i].name);
    if (!tocha_find_function(library, name, (char *)f + members[i].offset)) return false;
  }
  return true;
}

static void find(void) {
  static const char *const files[] = {"liblapack.so.3", "liblapack.so", "liblapack.dylib", NULL};
  const tocha_openblas *blas = tocha_find_openblas();
  if (!blas) return;
  void *library = blas->library;
  found = find_all(library, 's', &functions[0]) && find_all(library, 'd', &functions[1]);
  if (found || !(library = tocha_open_library("TOCHA_LAPACK", files))) return;
  found = find_all(library, 's', &functions[0]) && find_all(library, 'd', &functions[1]);
}

/* --- without a library ----------------------------------------------------------------------------------------- */

extern const tocha_lapack
    *const tocha_plain_factors_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];
extern const tocha_lapack
    *const tocha_plain_reflections_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];
extern const tocha_lapack
    *const tocha_plain_spectra_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

static tocha_lapack plain[TOCHA_ISA_COUNT][2];

/* Copies the functions that one of the plain C files defines. */
static void add_functions(tocha_lapack *to, const tocha_lapack *from) {
  for (int i = 0; from && i < TOCHA_COUNT(members); i++) {
    void (*function)(void);
    memcpy(&function, (const char *)from + members[i].offset, sizeof function);
    if (function) memcpy((char *)to + members[i].offset, &function, sizeof function);
  }
}

static void collect_plain(tocha_isa isa, tocha_dtype dtype) {
  tocha_lapack *l = &plain[isa][dtype == TOCHA_FLOAT64];
  const tocha_lapack *elements = &functions[dtype == TOCHA_FLOAT64];
  *l = (tocha_lapack){.is_plain = true,
                      .item = elements->item,
                      .one = elements->one,
                      .minus_one = elements->minus_one};
  add_functions(l, tocha_plain_factors_loops_table[isa][dtype]);
  add_functions(l, tocha_plain_reflections_loops_table[isa][dtype]);
  add_functions(l, tocha_plain_spectra_loops_table[isa][dtype]);
}

static void find_or_collect(void) {
  find();
  for (int isa = 0; !found && isa < TOCHA_ISA_COUNT; isa++) {
    collect_plain((tocha_isa)isa, TOCHA_FLOAT32);
    collect_plain((tocha_isa)isa, TOCHA_FLOAT64);
  }
}

const tocha_lapack *tocha_find_lapack(const tocha_context *cx, tocha_dtype dtype) {
  static platform_once once;
  platform_call_once(&once, find_or_collect);
  return found ? &functions[dtype == TOCHA_FLOAT64] : &plain[cx->isa][dtype == TOCHA_FLOAT64];
}
