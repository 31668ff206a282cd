/* layer.h: one recurrent layer in one direction, as forward (layer.c) and backward (backward.c) walk over it.
 *
 * The rows of all steps lie one after the other, those of step 0 first; every step has as many rows as sequences that last so
 * long, the longest sequences first. Backward in time (reverse) a sequence joins at its own last step. */
#ifndef TOCHA_RECURRENT_LAYER_H
#define TOCHA_RECURRENT_LAYER_H

#include "core/internal.h"
#include "device/devices.h"
#include "ops/recurrent/kernels.h"

/* Rows that are computed at once: their states before the step are rows `before`, ... of the outputs, or of the first
 * states. */
typedef struct tocha_segment {
  int64_t row, count, before;
  bool starts; /* from the first states */
} tocha_segment;

typedef struct tocha_recurrent_layer {
  tocha_context *cx;
  tocha_stream *stream;
  tocha_recurrent_mode mode;
  tocha_dtype dtype; /* that is computed in */
  tocha_device device;
  bool reverse;
  int gates;                               /* of an element */
  int64_t steps, rows, batch, inner, size; /* inner: of the inputs; size: of the states */
  int64_t output;                          /* size, or what it is projected to */
  const int64_t *sizes;                    /* rows of each step */
  tocha_segment *segments;                 /* in the order of computation; of rows, or backward */
  int segment_count;
} tocha_recurrent_layer;

/* The operands of a layer, NULL where there is none; row-major and of the dtype that is computed in. */
typedef struct tocha_recurrent_operands {
  tocha_tensor *input, *hx, *cx, *weight_ih, *weight_hh, *bias_ih, *bias_hh, *weight_hr;
} tocha_recurrent_operands;

static inline int tocha_recurrent_gates(tocha_recurrent_mode mode) {
  return mode == TOCHA_LSTM ? 4 : mode == TOCHA_GRU ? 3 : 1;
}

/* Flags for the rounding of a layer: bfloat16 is rounded only at the end; the bias is added to the rounded product, because the
 * input is not contiguous. */
enum { TOCHA_ROUNDED_ONCE = 1, TOCHA_BIAS_APART = 2 };

/* One layer in one direction: by the fused kernels, or made of operators (digits/fused.h).
 * how: of the two above. cy may be NULL. */
bool tocha_run_recurrent(tocha_context *cx, const tocha_recurrent_operands *operands,
                         tocha_recurrent_mode mode, bool reverse, int how, int count,
                         const int64_t *sizes, tocha_tensor **output, tocha_tensor **hy,
                         tocha_tensor **cy);

/* Sets the layer up for operands that fit; its segments are of the scope. */
bool tocha_recurrent_begin(tocha_context *cx, tocha_recurrent_layer *layer,
                           tocha_recurrent_operands *operands, int64_t mode, bool reverse,
                           int count, const int64_t *sizes);

/* out (m, n) = a (m, k) @ b + beta * out + bias; b (k, n), or transposed, (n, k). */
typedef struct tocha_recurrent_product {
  const void *a, *b, *bias;
  void *out;
  int64_t m, n, k;
  bool transposed, adds;
} tocha_recurrent_product;
bool tocha_recurrent_multiply(const tocha_recurrent_layer *layer, tocha_recurrent_product product);

/* Row number `row` of a matrix; NULL of NULL. */
static inline char *tocha_row_at(const tocha_tensor *t, int64_t row) {
  return t ? tocha_bytes(t) + row * t->sizes[1] * (int64_t)tocha_dtype_size((tocha_dtype)t->dtype)
           : NULL;
}
/* Rows of a matrix, as a matrix. */
tocha_tensor *tocha_some_rows(tocha_context *cx, tocha_tensor *t, int64_t row, int64_t count);
/* The matrix on its side. */
tocha_tensor *tocha_flipped(tocha_context *cx, tocha_tensor *t);

/* Calls each(user, first row of the last states, row of the outputs, count) for the rows after which sequences end. */
bool tocha_each_end(const tocha_recurrent_layer *layer,
                    bool (*each)(void *user, int64_t state, int64_t row, int64_t count),
                    void *user);

#endif
