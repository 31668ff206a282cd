/* packed.c: _pack_padded_sequence and _pad_packed_sequence. Consecutive steps with the same number
 * of sequences are moved together. */
#include "ops/recurrent/packed.h"

#include <string.h>

#include "recurrent/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/constant_pad_nd.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/transpose.h"

const int64_t *tocha_host_lengths(tocha_context *cx, tocha_tensor *lengths, int64_t *count) {
  char device[24];
  if (lengths->ndim != 1 || lengths->device.type != TOCHA_CPU || lengths->dtype != TOCHA_INT64)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "'lengths' argument should be a 1D CPU int64 tensor, but got %dD %s %s tensor",
        lengths->ndim, tocha_device_text(lengths->device, device),
        tocha_dtype_scalar_type(lengths->dtype));
  tocha_tensor *rows = tocha_own_rows(cx, lengths, TOCHA_INT64);
  *count = lengths->numel;
  return rows ? (const int64_t *)tocha_bytes(rows) : NULL;
}

/* Allocates an array for the tensors of n runs in the current scope. */
static tocha_tensor **array_for(tocha_context *cx, int64_t n) {
  void *scratch;
  uint64_t bytes = (uint64_t)n * sizeof(tocha_tensor *);
  return tocha_new_scratch(cx, (tocha_device){TOCHA_CPU, -1}, bytes, &scratch) ? scratch : NULL;
}

/* --- packing --------------------------------------------------------------------------------------------- */

static bool check_packing(tocha_context *cx, const tocha_tensor *input, const int64_t *lengths,
                          int64_t count) {
  int64_t batch;
  const char *words = NULL;
  if (!tocha_size_of(cx, input, 1, &batch)) {
    return false;
  } else if (count != batch) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected `len(lengths)` to be equal to batch_size, but got %lld (batch_size=%lld)",
               (long long)count, (long long)batch);
    return false;
  } else if (lengths[batch - 1] <= 0) {
    words = "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0";
  }
  for (int64_t i = 0; !words && i + 1 < batch; i++)
    if (lengths[i + 1] > lengths[i])
      words = "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
              "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
              "sidestep this requirement if you do not need ONNX exportability.";
  if (words) tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", words);
  return !words;
}

/* Returns steps begin..end of the first n sequences as rows. */
static tocha_tensor *packed_run(tocha_context *cx, tocha_tensor *input, int64_t begin, int64_t end,
                                int64_t n) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int ndim = input->ndim - 1;
  tocha_tensor *part = tocha_narrow(cx, input, 0, begin, end - begin);
  part = part ? tocha_narrow(cx, part, 1, 0, n) : NULL;
  if (!part) return NULL;
  memcpy(sizes + 1, part->sizes + 2, (size_t)(ndim - 1) * sizeof *sizes);
  sizes[0] = (end - begin) * n;
  return tocha_reshape(cx, part, ndim, sizes);
}

bool tocha_op__pack_padded_sequence(tocha_context *cx, tocha_tensor *input, tocha_tensor *lengths,
                                    bool batch_first, tocha_tensor **data,
                                    tocha_tensor **batch_sizes) {
  int64_t count, done = 0;
  if (tocha_grad_enabled(cx) && tocha_requires_grad(lengths)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The function '_pack_padded_sequence' is not differentiable with respect to "
               "argument 'lengths'. This input cannot have requires_grad True.");
    return false;
  }
  if (input->numel == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Cannot pack empty tensors.");
    return false;
  }
  if (batch_first) input = tocha_transpose(cx, input, 0, 1);
  if (!input) return false;
  const int64_t *length = tocha_host_lengths(cx, lengths, &count);
  if (!length || !check_packing(cx, input, length, count)) return false;
  tocha_tensor *sizes = tocha_new(cx, 1, length, TOCHA_INT64, lengths->device);
  tocha_tensor **runs = array_for(cx, count);
  if (!sizes || !runs) return false;
  int64_t *size = (int64_t *)tocha_bytes(sizes);
  int run_count = 0;
  for (int64_t n = count; n > 0; n--) { /* the last sequences are the shortest */
    if (length[n - 1] == done) continue;
    tocha_tensor *run = packed_run(cx, input, done, length[n - 1], n);
    if (!run) return false;
    runs[run_count++] = run;
    while (done < length[n - 1]) size[done++] = n;
  }
  *data = tocha_cat(cx, run_count, runs, 0);
  *batch_sizes = sizes;
  return *data != NULL;
}

/* --- padding --------------------------------------------------------------------------------------------- */

/* Returns the rows of `steps` steps of n sequences as (steps, batch, ...), padded with value. */
static tocha_tensor *padded_run(tocha_context *cx, tocha_tensor *data, int64_t row, int64_t steps,
                                int64_t n, int64_t batch, tocha_scalar value) {
  int64_t sizes[TOCHA_MAX_DIMS + 1], pad[2 * TOCHA_MAX_DIMS] = {0};
  int ndim = data->ndim + 1;
  int64_t left = data->sizes[0] - row, rows = steps * n; /* reshape fails if there are too few */
  tocha_tensor *part = tocha_narrow(cx, data, 0, row, left < rows ? left : rows);
  if (!part) return NULL;
  sizes[0] = steps;
  sizes[1] = n;
  memcpy(sizes + 2, data->sizes + 1, (size_t)(ndim - 2) * sizeof *sizes);
  part = tocha_reshape(cx, part, ndim, sizes);
  if (!part || n == batch) return part;
  pad[2 * (ndim - 2) + 1] = batch - n;
  return tocha_constant_pad_nd(cx, part, 2 * (ndim - 1), pad, value);
}

/* Pads t with whole steps of value at the end. */
static tocha_tensor *lengthened(tocha_context *cx, tocha_tensor *t, int64_t steps,
                                tocha_scalar value) {
  int64_t pad[2 * TOCHA_MAX_DIMS] = {0};
  if (!t || t->sizes[0] == steps) return t;
  pad[2 * t->ndim - 1] = steps - t->sizes[0];
  return tocha_constant_pad_nd(cx, t, 2 * t->ndim, pad, value);
}

static bool check_padding(tocha_context *cx, const tocha_tensor *data, const int64_t *sizes,
                          int64_t steps, int64_t total) {
  if (steps == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "batch_sizes can not be empty");
    return false;
  }
  if (total > 0 && total < steps) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected total_length to be at least the length of the longest sequence in input, "
               "but got total_length=%lld and max sequence length being %lld",
               (long long)total, (long long)steps);
    return false;
  }
  bool decreasing = data->ndim > 0 && sizes[steps - 1] >= 0;
  for (int64_t t = 1; t < steps; t++) decreasing = decreasing && sizes[t] <= sizes[t - 1];
  if (!decreasing)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "batch_sizes must be in decreasing order, none below 0");
  return decreasing;
}

bool tocha_op__pad_packed_sequence(tocha_context *cx, tocha_tensor *data, tocha_tensor *batch_sizes,
                                   bool batch_first, tocha_scalar padding_value,
                                   int64_t total_length, tocha_tensor **output,
                                   tocha_tensor **lengths) {
  int64_t steps, row = 0;
  const int64_t *sizes = tocha_host_lengths(cx, batch_sizes, &steps);
  if (!sizes || !check_padding(cx, data, sizes, steps, total_length)) return false;
  *lengths = tocha_new(cx, 1, sizes, TOCHA_INT64, batch_sizes->device);
  tocha_tensor **runs = array_for(cx, steps);
  if (!*lengths || !runs) return false;
  int64_t *length = (int64_t *)tocha_bytes(*lengths);
  int run_count = 0;
  for (int64_t t = 0, end; t < steps; t = end) {
    for (end = t; end < steps && sizes[end] == sizes[t];) end++;
    runs[run_count] = padded_run(cx, data, row, end - t, sizes[t], sizes[0], padding_value);
    if (!runs[run_count++]) return false;
    for (int64_t i = end < steps ? sizes[end] : 0; i < sizes[t]; i++) length[i] = end;
    row += (end - t) * sizes[t];
  }
  tocha_tensor *all = run_count == 1 ? runs[0] : tocha_cat(cx, run_count, runs, 0);
  all = lengthened(cx, all, total_length > 0 ? total_length : steps, padding_value);
  *output = all && batch_first ? tocha_transpose(cx, all, 0, 1) : all;
  return *output != NULL;
}
