/* embedding_bag.c: embedding_bag: checks the arguments of sums, means and maxima of bags of rows (bag.c computes them). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "device/devices.h"
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "ops/indexing/kernels.h"
#include "tensor/copy.h"
#include "tocha/ops/private/embedding_bag.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/embedding_bag.h"
#include "tocha/ops/embedding_renorm_.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reshape.h"

enum { SUM = TOCHA_BAG_SUM, MEAN = TOCHA_BAG_MEAN, MAX = TOCHA_BAG_MAX };

/* --- checks ------------------------------------------------------------------------------------ */

static const char *const tested = "embedding_bag";

/* Fails unless indices and offsets promote to int32 or int64. */
static bool check_integers(tocha_context *cx, const tocha_tensor *indices,
                           const tocha_tensor *offsets) {
  char text[32];
  tocha_tensor one = *indices;
  one.dtype = tocha_promote_types(indices->dtype, offsets->dtype);
  if (one.dtype == TOCHA_INT64 || one.dtype == TOCHA_INT32) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
             "Long, Int; but got %s instead (while checking arguments for %s)",
             tocha_type_text(&one, text), tested);
  return false;
}

static bool check_types(tocha_context *cx, const tocha_tensor *weight, const tocha_tensor *indices,
                        const tocha_tensor *offsets, const tocha_tensor *scales) {
  char text[32], other[32];
  if (!check_integers(cx, indices, offsets)) return false;
  if (!tocha_dtype_is_floating(weight->dtype))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected tensor for argument #1 'weight' to have one of the following scalar "
               "types: Half, BFloat16, Float, Double; but got %s instead (while checking "
               "arguments for %s)",
               tocha_type_text(weight, text), tested);
  else if (scales && scales->dtype != weight->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected tensor for argument #1 'weight' to have the same type as tensor for "
               "argument #1 'per_sample_weights'; but type %s does not equal %s (while checking "
               "arguments for %s)",
               tocha_type_text(weight, text), tocha_type_text(scales, other), tested);
  else if (scales && indices->ndim == 1 && (scales->ndim != 1 || scales->numel != indices->numel))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expected per_sample_weights to be 1D of the length of the indices");
  return !tocha_failed(cx);
}

static bool check_shapes(tocha_context *cx, const tocha_tensor *weight, const tocha_tensor *indices,
                         const tocha_tensor *offsets, bool last) {
  if (indices->ndim != 1 && indices->ndim != 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "input has to be a 1D or 2D Tensor, but got Tensor of dimension %d", indices->ndim);
  else if (indices->ndim == 1 && offsets->ndim != 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "offsets has to be a 1D Tensor, but got Tensor of dimension %d", offsets->ndim);
  else if (weight->ndim != 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "weight has to be a 2D Tensor, but got Tensor of dimension %d", weight->ndim);
  else if (last && offsets->numel < 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "include_last_offset: number of offset should be at least 1");
  return !tocha_failed(cx);
}

static bool check_order(tocha_context *cx, const int64_t *offsets, int64_t bags) {
  for (int64_t b = 1; b < bags; b++)
    if (offsets[b] < offsets[b - 1])
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "offsets have to be in ascending order, but offsets[%lld] is %lld after %lld",
          (long long)b, (long long)offsets[b], (long long)offsets[b - 1]);
  return true;
}

/* Checks the values of indices and offsets on the CPU. A GPU's kernels report wrong ones later, if at all. */
static bool check_values(tocha_context *cx, const tocha_tensor *weight, const tocha_tensor *indices,
                         const tocha_tensor *offsets, int64_t mode) {
  if (weight->device.type != TOCHA_CPU) return true;
  const int64_t *at = (const int64_t *)tocha_bytes(indices);
  const int64_t *first = (const int64_t *)tocha_bytes(offsets);
  int64_t rows = weight->sizes[0], n = indices->numel, bags = offsets->numel;
  if (bags > 0 && first[0] != 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
               "from position 0. However, got %lld",
               (long long)first[0]);
  else if (bags > 0 && first[bags - 1] > n)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "offsets[-1] can not be greater than input's length %lld but got offsets[-1] of "
               "%lld",
               (long long)n, (long long)first[bags - 1]);
  if (tocha_failed(cx) || !check_order(cx, first, bags)) return false;
  for (int64_t i = 0; i < n; i++) {
    if (at[i] >= 0 && at[i] < rows) continue;
    if (mode == MAX)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
                 "%lld",
                 (long long)at[i]);
    else
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Index %lld of input takes value %lld which is not in the valid range [0, %lld)",
                 (long long)i, (long long)at[i], (long long)rows);
    return false;
  }
  return true;
}

/* --- the operators of torch -------------------------------------------------------------------- */

/* Sets *padding to padding_idx counted from the start, or to -1 if there is none. Fails if it is out of range. */
static bool wrap_padding(tocha_context *cx, int64_t rows, const int64_t *padding_idx,
                         int64_t *padding) {
  *padding = -1;
  if (!padding_idx) return true;
  if (*padding_idx < -rows || *padding_idx >= rows)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "padding_idx must be within the number of embeddings, -%lld through %lld, "
                      "but got %lld",
                      (long long)rows, (long long)rows - 1, (long long)*padding_idx);
  *padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  return true;
}

static bool check_numbers(tocha_context *cx, const tocha_tensor *weight, tocha_tensor *indices,
                          tocha_tensor *offsets, int64_t mode, bool last) {
  indices = tocha_as_rows(cx, indices, TOCHA_INT64);
  offsets = indices ? tocha_as_rows(cx, offsets, TOCHA_INT64) : NULL;
  if (!offsets || !check_values(cx, weight, indices, offsets, mode)) return false;
  if (offsets->numel > (last ? 1 : 0) || indices->numel == 0) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "there are indices, but no bag");
}

bool tocha_op_embedding_bag_padding_idx(tocha_context *cx, tocha_tensor *weight,
                                        tocha_tensor *indices, tocha_tensor *offsets,
                                        bool scale_grad_by_freq, int64_t mode, bool sparse,
                                        tocha_tensor *per_sample_weights, bool include_last_offset,
                                        const int64_t *padding_idx, tocha_tensor **output,
                                        tocha_tensor **offset2bag, tocha_tensor **bag_size,
                                        tocha_tensor **max_indices) {
  if (!check_shapes(cx, weight, indices, offsets, include_last_offset) ||
      !check_types(cx, weight, indices, offsets, per_sample_weights))
    return false;
  if (mode < SUM || mode > MAX)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "`mode` must be sum, mean, or max.");
  if (indices->ndim == 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "input has to be a 1D Tensor, but got Tensor of dimension 2");
  tocha_note_dense_gradient(cx, weight, sparse);
  if (per_sample_weights && mode != SUM)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "embedding_bag: per_sample_weights only supported with mode='sum'");
  int64_t padding;
  return check_numbers(cx, weight, indices, offsets, mode, include_last_offset) &&
         wrap_padding(cx, weight->sizes[0], padding_idx, &padding) &&
         tocha_private_embedding_bag_full(cx, weight, indices, offsets, scale_grad_by_freq, mode,
                                          per_sample_weights, include_last_offset, padding, output,
                                          offset2bag, bag_size, max_indices);
}

/* --- nn.functional ----------------------------------------------------------------------------- */

static bool check_scales(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *scales) {
  if (!scales || (input->ndim == scales->ndim &&
                  memcmp(input->sizes, scales->sizes, (size_t)input->ndim * sizeof(int64_t)) == 0))
    return true;
  tocha_text text = {0};
  tocha_text_string(&text, "embedding_bag: If per_sample_weights (");
  tocha_text_size(&text, scales->ndim, scales->sizes);
  tocha_text_string(&text, ") is not None, then it must have the same shape as the input (");
  tocha_text_size(&text, input->ndim, input->sizes);
  tocha_text_string(&text, ")");
  char *words = tocha_text_finish(cx, &text);
  if (words) tocha_fail(cx, TOCHA_VALUE_ERROR, "%s", words);
  free(words);
  return false;
}

static bool check_functional(tocha_context *cx, const tocha_tensor *input,
                             const tocha_tensor *weight, const tocha_tensor *offsets,
                             const tocha_tensor *scales) {
  if (!check_scales(cx, input, scales)) return false;
  if (weight->ndim != 2)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "weight has to be a 2D Tensor, but got Tensor of dimension %d", weight->ndim);
  else if (input->ndim == 2 && offsets)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
               "of fixed length sequences. However, found offsets of type <class 'torch.Tensor'>");
  else if (input->ndim == 2 && input->sizes[1] == 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "step must be nonzero");
  else if (input->ndim != 1 && input->ndim != 2)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "input has to be 1D or 2D Tensor, but got Tensor of dimension %d", input->ndim);
  else if (input->ndim == 1 && !offsets)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "offsets has to be a 1D Tensor but got None");
  else if (input->ndim == 1 && offsets->ndim != 1)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "offsets has to be a 1D Tensor");
  return !tocha_failed(cx);
}

static int mode_of(tocha_context *cx, const char *mode, bool scale_grad_by_freq, bool sparse,
                   bool weighted) {
  static const char *const names[] = {"sum", "mean", "max"};
  int which = -1;
  for (int i = 0; i < 3; i++)
    if (strcmp(mode, names[i]) == 0) which = i;
  if (which < 0)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "mode has to be one of sum, mean or max");
  else if (which == MAX && scale_grad_by_freq)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "max mode does not support scaling the gradient by the frequency");
  else if (which == MAX && sparse)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "max mode does not support sparse weights");
  else if (which != SUM && weighted)
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
               "supported for mode='sum' (got mode='%s'). Please open a feature request on GitHub.",
               mode);
  return which;
}

/* Turns the rows of a matrix into bags: one dimension of indices, with offsets. */
static bool flatten(tocha_context *cx, tocha_tensor **input, tocha_tensor **offsets,
                    tocha_tensor **scales) {
  int64_t columns = (*input)->sizes[1], n = (*input)->numel, rows = (*input)->sizes[0];
  *offsets = tocha_arange_full(cx, tocha_int(rows), TOCHA_INT64, (*input)->device, false);
  *offsets = tocha_mul_full(cx, *offsets, tocha_number(tocha_int(columns)));
  *input = tocha_reshape(cx, *input, 1, &n);
  if (*scales) *scales = tocha_reshape(cx, *scales, 1, &n);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_embedding_bag_functional(tocha_context *cx, tocha_tensor *input,
                                                tocha_tensor *weight, tocha_tensor *offsets,
                                                const double *max_norm, double norm_type,
                                                bool scale_grad_by_freq, const char *mode,
                                                bool sparse, tocha_tensor *per_sample_weights,
                                                bool include_last_offset,
                                                const int64_t *padding_idx) {
  tocha_tensor *output, *bags, *sizes, *places, *scales = per_sample_weights;
  if (!check_functional(cx, input, weight, offsets, scales)) return NULL;
  bool matrix = input->ndim == 2;
  if (matrix && !flatten(cx, &input, &offsets, &scales)) return NULL;
  int which = mode_of(cx, mode, scale_grad_by_freq, sparse, scales != NULL);
  if (tocha_failed(cx)) return NULL;
  if (max_norm) {
    bool records = tocha_set_grad_enabled(cx, false);
    tocha_tensor *renormed = tocha_embedding_renorm_(cx, weight, input, *max_norm, norm_type);
    tocha_set_grad_enabled(cx, records);
    if (!renormed) return NULL;
  }
  if (!tocha_embedding_bag_padding_idx(cx, weight, input, offsets, scale_grad_by_freq, which,
                                       sparse, scales, include_last_offset && !matrix, padding_idx,
                                       &output, &bags, &sizes, &places))
    return NULL;
  return output;
}
