/* transformer_masks.c: the masks of transformers. */
#include "nn/transformer.h"

#include <math.h>

#include "tocha/ops/equal.h"
#include "tocha/ops/full.h"
#include "tocha/ops/masked_fill_.h"
#include "tocha/ops/triu.h"
#include "tocha/ops/zeros_like.h"

tocha_tensor *tocha_nn_generate_square_subsequent_mask(tocha_context *cx, int64_t size,
                                                       tocha_device device, tocha_dtype dtype) {
  const int64_t sizes[] = {size, size};
  return tocha_triu(cx, tocha_full_full(cx, 2, sizes, tocha_float(-INFINITY), dtype, device, false),
                    1);
}

tocha_tensor *tocha_additive_mask(tocha_context *cx, tocha_tensor *mask, const tocha_tensor *like) {
  if (!mask || tocha_dtype_is_floating((tocha_dtype)mask->dtype)) return mask;
  tocha_tensor *zeros =
      tocha_zeros_like_full(cx, mask, (tocha_dtype)like->dtype, tocha_no_device(), false, NULL);
  return tocha_masked_fill_(cx, zeros, mask, tocha_float(-INFINITY));
}

int64_t tocha_sequence_length(const tocha_tensor *x, bool batch_first) {
  return x->ndim > 1 ? x->sizes[x->ndim == 3 && batch_first] : 0;
}

bool tocha_is_causal_mask(tocha_context *cx, tocha_tensor *mask, const tocha_arg *is_causal,
                          int64_t size) {
  bool same = false;
  if (is_causal->given) return is_causal->value.flag;
  if (!mask || mask->ndim != 2 || mask->sizes[0] != size || mask->sizes[1] != size) return false;
  tocha_tensor *causal =
      tocha_nn_generate_square_subsequent_mask(cx, size, mask->device, (tocha_dtype)mask->dtype);
  return tocha_equal(cx, mask, causal, &same) && same;
}
