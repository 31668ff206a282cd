/* layer.h: one recurrent layer in one direction, for forward (layer.c) and backward (backward.c).
 *
 * The rows of all steps are consecutive, those of step 0 first. Sequences are sorted by length, the
 * longest first; a step has a row for each sequence that is long enough. In reverse, a sequence
 * starts at its own last step. */
#ifndef TOCHA_RECURRENT_LAYER_H
#define TOCHA_RECURRENT_LAYER_H

#include "core/internal.h"
#include "device/devices.h"
#include "ops/recurrent/kernels.h"

/* Rows that are computed together. Their previous states are rows `before`, ... of the outputs, or
 * of the initial states. */
typedef struct tocha_segment {
  int64_t row, count, before;
  bool starts; /* from the initial states */
} tocha_segment;

typedef struct tocha_recurrent_layer {
  tocha_context *cx;
  tocha_stream *stream;
  tocha_recurrent_mode mode;
  tocha_dtype dtype; /* of the computation */
  tocha_device device;
  bool reverse;
  int gates;                               /* number of gates */
  int64_t steps, rows, batch, inner, size; /* inner: columns of the inputs; size: of the states */
  int64_t output;                          /* size, or the size after projection */
  const int64_t *sizes;                    /* rows of each step */
  tocha_segment *segments;                 /* in forward's order of computation */
  int segment_count;
} tocha_recurrent_layer;

/* The operands of a layer, NULL if absent. They are row-major and of the layer's dtype. */
typedef struct tocha_recurrent_operands {
  tocha_tensor *input, *hx, *cx, *weight_ih, *weight_hh, *bias_ih, *bias_hh, *weight_hr;
} tocha_recurrent_operands;

static inline int tocha_recurrent_gates(tocha_recurrent_mode mode) {
  return mode == TOCHA_LSTM ? 4 : mode == TOCHA_GRU ? 3 : 1;
}

/* Flags for the rounding of a layer: bfloat16 is rounded only at the end; the bias is added to the
 * rounded product, because the input is not contiguous. */
enum { TOCHA_ROUNDED_ONCE = 1, TOCHA_BIAS_APART = 2 };

/* Runs one layer in one direction by the fused kernels or by operators (digits/fused.h). how: the
 * flags above. cy may be NULL. */
bool tocha_run_recurrent(tocha_context *cx, const tocha_recurrent_operands *operands,
                         tocha_recurrent_mode mode, bool reverse, int how, int count,
                         const int64_t *sizes, tocha_tensor **output, tocha_tensor **hy,
                         tocha_tensor **cy);

/* Checks the operands and sets the layer up. The segments are allocated in the current scope. */
bool tocha_recurrent_begin(tocha_context *cx, tocha_recurrent_layer *layer,
                           tocha_recurrent_operands *operands, int64_t mode, bool reverse,
                           int count, const int64_t *sizes);

/* A product: out (m, n) = a (m, k) @ b (k, n) + bias (n), plus the old out if `adds`. transposed: b
 * is (n, k). */
typedef struct tocha_recurrent_product {
  const void *a, *b, *bias;
  void *out;
  int64_t m, n, k;
  bool transposed, adds;
} tocha_recurrent_product;
bool tocha_recurrent_multiply(const tocha_recurrent_layer *layer, tocha_recurrent_product product);

/* Returns the address of row `row` of the matrix t, or NULL if t is NULL. */
static inline char *tocha_row_at(const tocha_tensor *t, int64_t row) {
  return t ? tocha_bytes(t) + row * t->sizes[1] * (int64_t)tocha_dtype_size((tocha_dtype)t->dtype)
           : NULL;
}
/* Returns `count` rows of a matrix as a view. */
tocha_tensor *tocha_some_rows(tocha_context *cx, tocha_tensor *t, int64_t row, int64_t count);
/* Returns the transposed matrix as a view. */
tocha_tensor *tocha_flipped(tocha_context *cx, tocha_tensor *t);

/* Calls each(user, state, row, count) for each run of rows after which sequences end. state: the
 * first row in the last states; row: the first row in the outputs. Stops and returns false if
 * `each` does. */
bool tocha_each_end(const tocha_recurrent_layer *layer,
                    bool (*each)(void *user, int64_t state, int64_t row, int64_t count),
                    void *user);

#endif
