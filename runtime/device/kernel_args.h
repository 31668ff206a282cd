/* kernel_args.h: what the kernels of a device receive: plain data, filled by the operators of
 * runtime/ops and read by cuda/. All pointers are addresses of the device unless they say
 * otherwise. A args that a kernel gets as it is has no gaps between its members (cuda/kernel.h). */
#ifndef TOCHA_KERNELS_H
#define TOCHA_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "optim/update.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_stream tocha_stream;

enum { TOCHA_LAYOUT_DIMS = 10, TOCHA_LAYOUT_OPERANDS = 5 };

/* A walk over operands of one shape: dimensions collapsed, innermost first; strides in bytes (0:
 * broadcast). dtype: tocha_dtype of each operand. */
typedef struct tocha_strided_layout {
  int32_t ndim, operands;
  int64_t numel;
  int64_t sizes[TOCHA_LAYOUT_DIMS];
  int64_t strides[TOCHA_LAYOUT_OPERANDS][TOCHA_LAYOUT_DIMS];
  void *data[TOCHA_LAYOUT_OPERANDS];
  int8_t dtype[TOCHA_LAYOUT_OPERANDS];
} tocha_strided_layout;

/* Operand 0 is the output. An input with a NULL data pointer is a number: its element of the
 * compute type is in values. */
typedef struct tocha_elementwise_args {
  tocha_strided_layout layout;
  int32_t row;     /* tocha_row_id */
  int32_t compute; /* tocha_compute */
  uint64_t values[TOCHA_LAYOUT_OPERANDS];
  uint64_t numbers[4]; /* the row's p[], of the compute type, packed as the C loops read them */
} tocha_elementwise_args;

typedef struct tocha_fill_args {
  tocha_strided_layout layout; /* one operand */
  uint64_t element;            /* its bits, of the operand's type */
} tocha_fill_args;

/* --- products (cuda/blas.cpp, cuda/products.cu) ----------------------------------------------- */

typedef enum tocha_activation { TOCHA_NO_ACTIVATION, TOCHA_RELU, TOCHA_GELU_TANH } tocha_activation;

/* out (batch, m, n), row-major = activation(alpha * a @ b + beta * out + bias), a (batch, m, k),
 * b (batch, k, n), all of one floating dtype; the 16-bit types are summed in float32. Each row of a
 * matrix (each column of one that is transposed) is contiguous and begins `leading` elements after the
 * one before. batch and n, m, k are at least 1. bias: n elements or NULL; only with batch 1. */
typedef struct tocha_product_args {
  const void *a, *b, *bias;
  void *out;
  int64_t batch, m, n, k;
  int64_t a_batch, b_batch; /* elements from one matrix to the next; 0: the same for all */
  int64_t lda, ldb;
  double alpha, beta;
  bool a_transposed, b_transposed;
  int8_t dtype;
  int8_t activation;
  bool tf32;    /* float32 may be multiplied in TensorFloat-32 */
  bool reduced; /* 16-bit types may be reduced in their own type */
} tocha_product_args;

enum { TOCHA_DOT_PARTS = 256 };

/* *out = the inner product of two vectors of one floating dtype; strides in elements. partial:
 * TOCHA_DOT_PARTS doubles. */
typedef struct tocha_dot_args {
  const void *a, *b;
  void *out;
  double *partial;
  int64_t n, a_stride, b_stride;
  int8_t dtype;
} tocha_dot_args;

/* --- lists of tensors: optimizers, gradients (cuda/optim.cu, cuda/amp.cu) ----------------------
 * The arrays of items are the host's, and read before the call returns. Tensors are dense. */

typedef struct tocha_step_item {
  void *parameter;
  const void *gradient;
  void *states[3]; /* without the step count; NULL where the update does not use it */
  int64_t numel;
} tocha_step_item;

/* One step of one rule with the same numbers for all items; everything of one floating dtype. */
typedef struct tocha_step_args {
  const tocha_step_item *items;
  int32_t count, rule; /* tocha_step_rule */
  int8_t dtype;
  tocha_update update;
} tocha_step_args;

typedef struct tocha_list_item {
  void *data;
  int64_t numel;
} tocha_list_item;

/* Multiplies all items, of one floating dtype, by *factor (float32, or float64 where wide_factor).
 * found: NULL, or a float32 that becomes 1 where an element was infinite or NaN before. */
typedef struct tocha_scale_list_args {
  const tocha_list_item *items;
  int32_t count;
  int8_t dtype;
  bool wide_factor;
  const void *factor;
  float *found;
} tocha_scale_list_args;

enum { TOCHA_LIST_CHUNK = 4096 }; /* elements of an item that one block takes */

/* norms[i] = (sum of |x|^order)^(1/order) of item i, rounded to float32 but for float64. partial: a
 * double for each chunk of each item. */
typedef struct tocha_norms_args {
  const tocha_list_item *items;
  int32_t count;
  int8_t dtype;
  double order; /* infinity: the largest; 0: how many are not 0 */
  double *partial, *norms;
} tocha_norms_args;

/* *total = the norm of the norms, rounded to float32, and of type dtype. */
typedef struct tocha_total_norm_args {
  const double *norms;
  int64_t count;
  double order;
  int8_t dtype;
  void *total;
} tocha_total_norm_args;

/* The scale of gradients after an iteration (GradScaler). */
typedef struct tocha_update_scale_args {
  float *scale;
  int32_t *tracker;
  const float *found;
  double growth, backoff;
  int64_t interval;
} tocha_update_scale_args;

/* --- sequences, triangles, choices, joins ----------------------------------------------------- */

enum { TOCHA_SEQUENCE_RANGE, TOCHA_SEQUENCE_LINEAR, TOCHA_SEQUENCE_LOGARITHMIC };

/* out[i] for i in 0..count, dense. RANGE: start + i * step, whole_start + i * whole_step where the
 * dtype is an integer's; LINEAR: tocha_linspace_value (ops/sequence.h); LOGARITHMIC: base to it. */
typedef struct tocha_sequence_args {
  void *out;
  int64_t count, whole_start, whole_step;
  double start, step, stop, base;
  int32_t kind, dtype;
} tocha_sequence_args;

/* The part of (batch, rows, columns), row-major, on one side of a diagonal; zeros elsewhere. */
typedef struct tocha_triangle_args {
  void *out;
  const void *in;
  int64_t numel, rows, columns, diagonal;
  int32_t item, upper; /* bytes of an element; which side: 0 or 1 */
} tocha_triangle_args;

/* out (2, count) of int64: the coordinates of a triangle's elements, row by row. */
typedef struct tocha_triangle_indices_args {
  int64_t *out;
  int64_t count, rows, columns, offset, upper; /* upper: 0 or 1 */
} tocha_triangle_indices_args;

/* out = condition ? a : b; operands in this order, elements of a, b and out of `item` bytes. A NULL
 * a or b is the element whose bits are in `elements`. */
typedef struct tocha_where_args {
  tocha_strided_layout layout;
  uint64_t elements[2];
  int32_t item;
} tocha_where_args;

enum { TOCHA_CAT_PARTS = 64 };

/* Copies parts side by side: row r of part p, `bytes` long, to to + r * stride + at. All sizes are
 * multiples of `piece` (a power of two up to 16), and so are the addresses. */
typedef struct tocha_cat_args {
  void *to;
  int64_t rows, stride;
  int32_t count, piece;
  struct {
    const void *from;
    int64_t bytes, at;
  } parts[TOCHA_CAT_PARTS];
} tocha_cat_args;

/* --- reductions, scans, softmax, losses ------------------------------------------------------- */

enum {
  TOCHA_REDUCE_SUM,
  TOCHA_REDUCE_COUNT, /* of what is not zero */
  TOCHA_REDUCE_PRODUCT,
  TOCHA_REDUCE_EXTREME,
  TOCHA_REDUCE_POSITION, /* the extreme in out, its index (int64) in second */
  TOCHA_REDUCE_MOMENTS,  /* variance, and the mean in second */
  TOCHA_REDUCE_LOG_SUM_EXP
};
/* What is done to each element of a sum or an extreme. */
enum { TOCHA_MAP_NONE, TOCHA_MAP_NO_NAN, TOCHA_MAP_ABS, TOCHA_MAP_SQUARE, TOCHA_MAP_POWER };
/* What is done to the result. */
enum {
  TOCHA_FINAL_NONE,
  TOCHA_FINAL_MEAN, /* divided by count */
  TOCHA_FINAL_ROOT,
  TOCHA_FINAL_POWER, /* to the power 1 / number */
  TOCHA_FINAL_ALL,   /* of a count: equals count */
  TOCHA_FINAL_ANY
};

/* For each of `outputs` places of the kept dimensions, the reduction of `count` elements of the
 * reduced ones. Dimensions are collapsed, innermost first. A block has threads_x * threads_y
 * threads: x along the reduced elements and y along outputs, or (columns) x along outputs and y
 * along the reduced elements. With parts > 1 each of them takes `part` elements and leaves its
 * state in work. */
typedef struct tocha_reduce_args {
  const void *in;
  void *out, *second; /* either may be NULL where operation allows */
  void *work;         /* 24 bytes for each output and part */
  int64_t outputs, count, part;
  int64_t kept_sizes[TOCHA_LAYOUT_DIMS];
  int64_t kept_strides[TOCHA_LAYOUT_DIMS]; /* of in, in bytes */
  int64_t out_strides[TOCHA_LAYOUT_DIMS];  /* in elements */
  int64_t reduced_sizes[TOCHA_LAYOUT_DIMS];
  int64_t reduced_strides[TOCHA_LAYOUT_DIMS];
  double number; /* exponent of a norm; correction of a variance */
  int32_t kept_dims, reduced_dims, parts;
  int32_t operation, map, end;
  int32_t compute; /* float32, float64 or int64 */
  int32_t threads_x, threads_y;
  int32_t in_dtype, out_dtype, second_dtype;
  int32_t columns, max; /* 0 or 1 */
} tocha_reduce_args;

enum { TOCHA_SCAN_SUM, TOCHA_SCAN_PRODUCT, TOCHA_SCAN_MAX, TOCHA_SCAN_MIN };

/* Running results along n of (outer, n, inner), row-major. With chunks > 1 (inner is 1 then) rows
 * are cut into chunks of `chunk` elements. */
typedef struct tocha_scan_args {
  const void *in;
  void *out, *indices; /* indices: int64, for MAX and MIN */
  void *work;          /* 16 bytes for each row and chunk */
  int64_t outer, n, inner, chunk, chunks;
  int32_t kind, compute, in_dtype, out_dtype;
  int32_t backward, rest; /* 1: from the end */
} tocha_scan_args;

/* For each element of a row the product of all others, or, with gradient, the sum over k >= i of
 * gradient[k] * the product of the others up to k; float64, row-major. */
typedef struct tocha_exclusive_product_args {
  const void *in, *gradient;
  void *out;
  int64_t outer, n, inner;
} tocha_exclusive_product_args;

/* Along n of (outer, n, inner), all tensors row-major and of one floating dtype. Backward where
 * result is given: `in` is the gradient then. */
typedef struct tocha_softmax_args {
  const void *in, *result;
  void *out;
  int64_t outer, n, inner;
  int8_t dtype;
  bool log;
} tocha_softmax_args;

/* Operands: out, input, target and a factor where there are four. */
typedef struct tocha_loss_args {
  tocha_strided_layout layout;
  double number, norm; /* beta or delta; a factor */
  int32_t kind, order; /* TOCHA_LOSS_*; which derivative */
  bool wide;           /* computes in float64 */
} tocha_loss_args;

/* Negative log likelihood of x (n, classes, inner). Forward: reduction none gives a loss for each
 * target, the others one number. Backward: out (zeros, shaped as x) gets its elements at the
 * targets from grad. x, out and grad are of dtype. */
typedef struct tocha_nll_args {
  const void *x, *target, *weight, *grad; /* weight may be NULL */
  void *out;
  void *work; /* 16 bytes for each part, and 16 */
  int64_t n, classes, inner, ignored, parts;
  int32_t reduction;
  int8_t dtype, target_dtype, weight_dtype;
  bool backward;
} tocha_nll_args;

/* --- indexing and order: index*.cu, scatter.cu, sort*.cu, select.cu --------------------------- */

enum {
  TOCHA_INDEX_AXES = 3,       /* index tensors of one launch */
  TOCHA_ACCUMULATE_PART = 32, /* sorted keys that one thread adds up */
  TOCHA_SORT_BLOCK = 2048,    /* rows up to this length are sorted by one block */
  TOCHA_SORT_TILE = 2048,     /* keys a block moves in one pass of the radix sort, ... */
  TOCHA_SORT_CHUNK = 64,      /* tiles whose counts one block adds up, ... */
  TOCHA_SORT_DIGITS = 256,    /* and values of a digit */
  TOCHA_SELECT_MOST = 1024,   /* elements select_rows finds of a row */
  TOCHA_NONZERO_TILE = 2048   /* flags one block counts */
};

/* A dimension that is picked from: its size, what one position of it is worth, its number for
 * reports. */
typedef struct tocha_index_axis {
  int64_t size, step;
  int32_t dim;
} tocha_index_axis;

enum { TOCHA_INDEX_GET, TOCHA_INDEX_PUT, TOCHA_INDEX_ADD };

/* Between a tensor and what index tensors pick of it. walk: 0 the picked elements, 1 the indexed
 * tensor (stride 0 along what is picked from), then the index tensors (int64 or int32), one an
 * axis, whose steps are bytes. ADD: of int32 and int64, exact in any order. */
typedef struct tocha_index_args {
  tocha_strided_layout layout;
  int32_t action, axes;
  bool wraps; /* negative positions count from the end */
  tocha_index_axis axis[TOCHA_INDEX_AXES];
  int64_t scale;  /* ADD: factor of what is added */
  const char *op; /* for reports */
} tocha_index_args;

/* Where each picked row lies, as a number: the sum of position * step over the axes. walk: 0 the
 * keys (int64 or int32), then the index tensors, then, where based, the indexed tensor, whose
 * distance from `base` counts in units of bytes. adds: to what the keys hold already. */
typedef struct tocha_index_keys_args {
  tocha_strided_layout layout;
  int32_t axes;
  bool wraps, based, adds;
  tocha_index_axis axis[TOCHA_INDEX_AXES];
  const void *base;
  int64_t unit;
  const char *op;
} tocha_index_keys_args;

/* target[keys[i] * unit + lane] += scale * values[order[i] * row + lane] for i in 0..n, in the
 * order of i: keys are sorted, each distinct one is summed by itself. */
typedef struct tocha_accumulate_args {
  tocha_strided_layout lanes; /* the elements of one row: 0 target, 1 values */
  const void *keys;           /* int64 or int32 */
  const int64_t *order;       /* which row of values */
  int64_t n, unit, row;       /* unit, row: bytes */
  void *partial;              /* 16 bytes for each lane of each part */
  double scale;
  int64_t whole_scale; /* the same for integers */
  bool wide;           /* keys are int64 */
} tocha_accumulate_args;

/* Dense rows in order, stable; NaN is the greatest, -0 equals 0. kept of each row are written. */
typedef struct tocha_sort_args {
  const void *in;
  void *values;     /* NULL: not wanted */
  int64_t *indices; /* where they were in their row */
  int64_t rows, n, kept;
  int32_t dtype;
  int32_t bits; /* of the key that differ, from the lowest; 0: all of the type */
  bool descending;
  /* n > TOCHA_SORT_BLOCK: workspace. counts: a digit's for each tile, then for each chunk, then for
   * each row */
  void *keys[2];      /* rows * n of 4 bytes, or 8 for 64-bit types */
  uint32_t *order[2]; /* rows * n */
  uint32_t *counts;
} tocha_sort_args;

enum {
  TOCHA_SELECT_TOP,
  TOCHA_SELECT_KTH,
  TOCHA_SELECT_MEDIAN,
  TOCHA_SELECT_NANMEDIAN,
  TOCHA_SELECT_MODE
};

/* Of dense rows the first k in order, or the one at place k (from 1), or the median's, or the most
 * frequent (the smallest of several; its last place). sorted: the order of each row, or NULL: then
 * k is at most TOCHA_SELECT_MOST for TOP, and MODE cannot be had. */
typedef struct tocha_select_args {
  const void *in;
  const int64_t *sorted;
  void *values;
  int64_t *indices;
  int64_t rows, n, k;
  int32_t dtype, task;
  bool descending;
} tocha_select_args;

/* tiles[i]: how many of what comes before tile i are not zero; the last, past the tiles: of all. */
typedef struct tocha_count_nonzero_args {
  const void *flags;
  int64_t n;
  int64_t *tiles;
  int32_t dtype;
} tocha_count_nonzero_args;

/* The elements of `source` where flags are not zero to `out`; with out NULL their coordinates,
 * count for the first dimension, and so on. */
typedef struct tocha_write_nonzero_args {
  const void *flags, *source;
  const int64_t *tiles;
  void *out;
  int64_t *coordinates;
  int64_t n, count;
  int32_t dtype, item, ndim;
  int64_t sizes[64];
} tocha_write_nonzero_args;

/* out[i] = the first k with ends[k] > i, for i in 0..total. */
typedef struct tocha_repeat_args {
  const int64_t *ends;
  int64_t *out;
  int64_t n, total;
} tocha_repeat_args;

/* counts[bin] += 1 for the elements from low to high, in equal bins. */
typedef struct tocha_histogram_args {
  const void *in;
  int64_t *counts;
  int64_t n, bins;
  double low, high;
  int32_t dtype;
} tocha_histogram_args;

/* --- random numbers: random.cu, random_choice.cu, dropout.cu -----------------------------------
 *
 * Philox4x32-10 as PyTorch's kernels use it: thread t of a launch takes the blocks of four words
 * whose counter is {offset / 4, + 1, ..., t} of the key `seed`. `blocks` (of 256 threads) is part
 * of what the numbers are. */

enum {
  TOCHA_DISTRIBUTION_UNIFORM,     /* [a, b) */
  TOCHA_DISTRIBUTION_NORMAL,      /* mean a, standard deviation b */
  TOCHA_DISTRIBUTION_LOG_NORMAL,  /* exp of that */
  TOCHA_DISTRIBUTION_EXPONENTIAL, /* rate a */
  TOCHA_DISTRIBUTION_CAUCHY,      /* median a, scale b */
  TOCHA_DISTRIBUTION_GEOMETRIC,   /* of successes of probability a */
  TOCHA_DISTRIBUTION_BERNOULLI,   /* b with probability a, else 0 */
  TOCHA_DISTRIBUTION_INTEGERS /* base + bits % range (range 0: all 64 bits), of 32 bits, or of 64 if wide */
};

/* walk: the output, all byte offsets and numbers below 2^31. */
typedef struct tocha_random_args {
  tocha_strided_layout layout;
  uint64_t seed, offset, range;
  int64_t base, blocks;
  double a, b;
  int32_t kind;
  bool wide;
} tocha_random_args;

/* walk: 0 what becomes 1 or 0, 1 the probability of 1 (float64 where 0 is, else float32). */
typedef struct tocha_bernoulli_args {
  tocha_strided_layout layout;
  uint64_t seed, offset;
} tocha_bernoulli_args;

/* walk: 0 the output, 1 the input, of one floating dtype, 2 the mask (bool). Output = input / keep
 * with probability keep, else 0. width: how many elements in a row a thread takes at a time, where
 * all three lie in memory alike and without gaps; 1: by the layout. */
typedef struct tocha_dropout_args {
  tocha_strided_layout layout;
  uint64_t seed, offset;
  int64_t blocks;
  double keep;
  int32_t width;
} tocha_dropout_args;

/* order lies in the order of its sorted keys (int64 or int32): what has equal keys is shuffled. */
typedef struct tocha_shuffle_args {
  const void *keys;
  int64_t *order;
  int64_t n;
  uint64_t seed, offset;
  bool wide;
} tocha_shuffle_args;

/* out (rows, samples): for each sample a category whose running sum of shares (rows, categories),
 * up to about 1, passes a uniform number; float32, or float64 if wide. */
typedef struct tocha_multinomial_args {
  const void *sums, *shares;
  int64_t *out;
  int64_t rows, categories, samples;
  uint64_t seed, offset;
  bool wide;
} tocha_multinomial_args;

#ifdef __cplusplus
}
#endif
#endif
