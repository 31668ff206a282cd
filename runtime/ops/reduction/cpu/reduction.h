/* reduction.h: the reductions that the CPU does not compute by planes (kernels.c has the others).
 * They return false if interrupted. */
#ifndef TOCHA_CPU_REDUCTION_H
#define TOCHA_CPU_REDUCTION_H

#include "core/internal.h"
#include "ops/reduction/kernels.h"

/* Returns the dtype whose loops read elements of `dtype` unconverted. bool stands for all bytes. */
static inline int32_t tocha_elements_of_loops(int32_t dtype) {
  return dtype == TOCHA_UINT8 ? TOCHA_BOOL : dtype;
}

/* extremes.c: writes the values (in the elements' type) and indices of the extremes. Elements are
 * dense. */
bool tocha_cpu_positions(tocha_context *cx, const tocha_reduce_args *args, void *values,
                         int64_t *indices);
/* variance.c: writes float64 variances and means. Elements are in rows. parts: an array of
 * tocha_cpu_variance_parts(args) moments. */
typedef struct tocha_moments {
  double count, mean, squares; /* squares: the sum of (x - mean)^2 */
} tocha_moments;
int64_t tocha_cpu_variance_parts(const tocha_reduce_args *args);
bool tocha_cpu_variance(tocha_context *cx, const tocha_reduce_args *args, double *variances,
                        double *means, tocha_moments *parts);
/* norm.c: writes float64 norms. Elements are in rows. */
bool tocha_cpu_norm(tocha_context *cx, const tocha_reduce_args *args, double *norms);

#endif
