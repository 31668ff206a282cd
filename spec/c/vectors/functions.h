/* functions.h: our vector functions of one instruction set, on arrays, for vectors_test.c. */
#ifndef TOCHA_SPEC_VECTORS_H
#define TOCHA_SPEC_VECTORS_H

#include <stddef.h>

/* One function: `floats` and `doubles` compute n results, where n is a multiple of 16. Functions of one
 * number ignore y. */
struct vector_function {
  const char *name;
  void (*floats)(const float *x, const float *y, float *result, int n);
  void (*doubles)(const double *x, const double *y, double *result, int n);
};

extern const struct vector_function vector_functions_baseline[], vector_functions_avx2[],
    vector_functions_avx512
        []; /* each ends with a row of NULL, the only one if there are no vectors */

#endif
