/* neighbours.c: the forward of CrossMapLRN2d. Its window is that of Torch 7: the first channel never
 * leaves it. */
#include "nn/construct.h"
#include "nn/functions/neighbours.h"
#include "tocha/ops/add.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"

typedef tocha_tensor tensor;

/* Writes the sums of the squares in the window of each channel to `sums`, (N, 1, H, W) each. */
static bool sum_windows(tocha_context *cx, tensor *square, int64_t reach, tensor **sums) {
  static const int64_t dims[] = {1};
  int64_t channels = square->sizes[1], first = reach < channels ? reach : channels;
  tensor *sum = tocha_sum_dim_IntList(cx, tocha_narrow(cx, square, 1, 0, first), 1, dims, true);
  for (int64_t c = 0; c < channels; c++) {
    if (c > 0 && c < channels - reach + 1)
      sum = tocha_add(cx, sum, tocha_narrow(cx, square, 1, c + reach - 1, 1));
    if (c > reach) sum = tocha_sub(cx, sum, tocha_narrow(cx, square, 1, c - reach, 1));
    sums[c] = sum;
  }
  return sum != NULL;
}

tocha_tensor *tocha_module_forward_neighbours(tocha_context *cx, tocha_module *module, int count,
                                              tocha_tensor *const *inputs) {
  tensor *input = inputs[0];
  (void)count;
  if (input->ndim != 4)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "CrossMapLRN2d: Expected input to be 4D, got %dD instead.", input->ndim);
  int64_t channels = input->sizes[1], size = tocha_option_int(module, "size");
  uint64_t bytes = (uint64_t)channels * sizeof(tensor *);
  double alpha = tocha_option_real(module, "alpha"), beta = tocha_option_real(module, "beta");
  tensor **sums = tocha_allocate(cx, bytes ? bytes : sizeof *sums), *scale = NULL;
  if (!sums) return NULL;
  if (sum_windows(cx, tocha_mul(cx, input, input), tocha_floor_quotient(size - 1, 2) + 1, sums))
    scale = tocha_cat(cx, (int)channels, sums, 1);
  scale = tocha_mul_full(cx, scale, tocha_number(tocha_float(tocha_quotient(alpha, (double)size))));
  scale = tocha_add_full(cx, scale, tocha_number(tocha_module_option(module, "k")->value.scalar),
                         tocha_int(1));
  tocha_deallocate(cx, sums, bytes ? bytes : sizeof *sums);
  return tocha_mul(cx, input, tocha_pow_scalar(cx, scale, tocha_float(-beta)));
}
