/* kernels.h: the arguments of the kernels of indexing, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_INDEXING_KERNELS_H
#define TOCHA_INDEXING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = condition ? a : b. The operands are in this order; elements of a, b and out have `item` bytes. A NULL a or b stands for
 * the element whose bits are in `elements`. */
typedef struct tocha_where_args {
  const tocha_strided_layout *layout;
  uint64_t elements[2];
  int32_t item;
} tocha_where_args;

enum {
  TOCHA_INDEX_AXES = 3,       /* index tensors of one launch */
  TOCHA_ACCUMULATE_PART = 32, /* sorted keys that one thread adds up */
  TOCHA_NONZERO_TILE = 2048   /* flags that are counted together */
};

/* An indexed dimension: its size, the step from one position to the next, and its number for reports. */
typedef struct tocha_index_axis {
  int64_t size, step;
  int32_t dim;
} tocha_index_axis;

/* Arguments of a check of one index tensor (int64 or int32), in order. */
typedef struct tocha_check_index_args {
  const tocha_strided_layout *layout;
  int64_t size;
  bool wraps; /* negative positions count from the end */
} tocha_check_index_args;

enum { TOCHA_INDEX_GET, TOCHA_INDEX_PUT, TOCHA_INDEX_ADD, TOCHA_INDEX_ACTIONS };

/* Arguments of copies between values and the elements that index tensors select. Operands: 0 the values, 1 the tensor (stride 0
 * in the index tensors' dimensions), then the index tensors (int64 or int32), one for each axis. The steps of axes are in
 * bytes. The layout is in order: if several elements are written to one position, the CPU's kernel writes them in that order.
 * ADD adds scale times the values. If the table has `accumulate`, ADD is only used for int32 and int64, which are exact in any
 * order. */
typedef struct tocha_index_args {
  const tocha_strided_layout *layout;
  int32_t action, axes;
  bool wraps; /* negative positions count from the end */
  tocha_index_axis axis[TOCHA_INDEX_AXES];
  double scale;
  int64_t integer_scale; /* the same for integers */
  const char *op;        /* named in reports */
  int *outside;          /* set by the CPU's kernel if a position is out of range after all */
} tocha_index_args;

/* Arguments of the kernel that computes keys, the destination of each row of values as a number: the sum of position * step
 * over the axes. Operands: 0 the keys (int64 or int32), then the index tensors, then, if based, the indexed tensor, whose
 * distance from `base` counts in units of bytes. adds: adds to the values that the keys have. */
typedef struct tocha_index_keys_args {
  const tocha_strided_layout *layout;
  int32_t axes;
  bool wraps, based, adds;
  tocha_index_axis axis[TOCHA_INDEX_AXES];
  const void *base;
  int64_t unit;
  const char *op;
  int *outside; /* set by the CPU's kernel if a position is out of range after all */
} tocha_index_keys_args;

/* target[keys[i] * unit + lane] += scale * values[order[i] * row + lane] for i in 0..n, in the order of i. The keys are sorted,
 * and the sum for each distinct key is computed by itself. */
typedef struct tocha_accumulate_args {
  const tocha_strided_layout *lanes; /* the elements of one row: 0 target, 1 values */
  const void *keys;                  /* int64 or int32 */
  const int64_t *order;              /* the row of values for each key */
  int64_t n, unit, row;              /* unit and row: in bytes */
  void *partial;                     /* 16 bytes for each lane of each part */
  double scale;
  int64_t integer_scale; /* the same for integers */
  bool wide;             /* keys are int64 */
} tocha_accumulate_args;

/* tiles[i]: the number of nonzero flags before tile i; the last entry, after the tiles: of all. */
typedef struct tocha_count_nonzero_args {
  const void *flags;
  int64_t n;
  int64_t *tiles;
  int32_t dtype;
} tocha_count_nonzero_args;

/* Arguments of the kernel that writes the elements of `source` at nonzero flags to `out`, or, if out is NULL, their
 * coordinates: `count` for the first dimension, and so on. */
typedef struct tocha_write_nonzero_args {
  const void *flags, *source;
  const int64_t *tiles;
  void *out;
  int64_t *coordinates;
  int64_t n, count;
  int32_t dtype, item, ndim;
  const int64_t *sizes; /* in the host's memory */
} tocha_write_nonzero_args;

enum { TOCHA_JOIN_SUM, TOCHA_JOIN_PROD, TOCHA_JOIN_MEAN, TOCHA_JOIN_AMAX, TOCHA_JOIN_AMIN };

/* out[o, index[o, j, i], i] is joined with src[o, j, i] by `how`, in the order of j. All are row-major: out (outer, n, inner),
 * the others (outer, m, inner). out and src have the dtype `compute`: float64 or int64, on the CPU also float32. */
typedef struct tocha_join_args {
  void *out;
  const void *src;
  const int64_t *index;
  const int64_t *order; /* with joins_sorted, index is sorted along m; the positions before */
  int64_t *counts;      /* otherwise zeros for the mean, one for each element of out (by_row: n) */
  int64_t outer, n, m, inner;
  int32_t how, dtype; /* dtype: that of out's values */
  int32_t steps;      /* the dtype that reals are rounded to after each step */
  int32_t compute;
  bool by_row; /* without joins_sorted: index has m numbers, for all of outer and inner */
  bool fresh;  /* include_self = false: out's own values do not count in destinations */
} tocha_join_args;

enum { TOCHA_BAG_SUM, TOCHA_BAG_MEAN, TOCHA_BAG_MAX };

/* Bags of rows. Bag b has the indices from offsets[b] up to offsets[b + 1], the last bag those up to n. An index equal to
 * `padding` does not count (-1: all count). Everything is row-major, floating point of one dtype or int64. */
typedef struct tocha_bag_args {
  const int64_t *indices, *offsets; /* (n), (bags) */
  const int64_t *bag_of;            /* gradients: the bag of each index */
  const void *table, *grad;         /* (rows, columns) and (bags, columns) */
  const void *scales;               /* (n): a factor for each index; NULL: 1 */
  void *out;             /* embed: (bags, columns); embed_grad: (rows, columns); scale_grad: n */
  int64_t *sizes;        /* (bags): embed writes them unless NULL, embed_grad divides by them */
  int64_t *from;         /* MAX: the row that each maximum comes from */
  const int64_t *counts; /* embed_grad divides by them: how often each row is read; NULL: 1 */
  const int64_t *keys, *order; /* embed_grad, joins_sorted: sorted indices, and their positions */
  int64_t n, bags, rows, columns, padding;
  int32_t mode, dtype;
  bool fused; /* products are added with one rounding */
} tocha_bag_args;

/* Returns the position of an offset, limited to 0..n because other threads may write to offsets. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline int64_t
    tocha_bag_place(int64_t offset, int64_t n) {
  return offset < 0 ? 0 : offset < n ? offset : n;
}
/* Evaluate to the begin and the end of bag b of `a`. */
#define TOCHA_BAG_BEGIN(a, b) tocha_bag_place((a).offsets[b], (a).n)
#define TOCHA_BAG_END(a, b)                                                                        \
  ((b) + 1 < (a).bags ? tocha_bag_place((a).offsets[(b) + 1], (a).n) : (a).n)

/* target[row, index[row, i]] += src[row, i] for i in 0..m in this order; row-major, target (rows, n), index (int64 or int32) and
 * src (rows, m), target and src of one floating dtype. n: up to TOCHA_SCATTER_ROW. */
typedef struct tocha_scatter_rows_args {
  void *target;
  const void *index, *src;
  int64_t rows, n, m;
  int32_t dtype, dim; /* dim: for reports, as op */
  const char *op;
  int64_t wide; /* index is int64 */
} tocha_scatter_rows_args;

enum { TOCHA_SCATTER_ROW = 1 << 16 };

typedef struct tocha_indexing_kernels {
  /* Returns true if all positions are in range, else sets *bad to the first that is not. NULL: the device's kernels check
   * positions themselves, and report at the next synchronization. */
  bool (*check_index)(tocha_stream *stream, const tocha_check_index_args *args, int64_t *bad);
  /* Reads, writes, or adds to the elements that index tensors select. */
  bool (*index)(tocha_stream *stream, const tocha_index_args *args);
  /* Computes the destinations of rows, as numbers to sort. */
  bool (*index_keys)(tocha_stream *stream, const tocha_index_keys_args *args);
  /* Adds rows by sorted keys, with the same sums in every run. NULL: `index` adds in order. */
  bool (*accumulate)(tocha_stream *stream, const tocha_accumulate_args *args);
  /* Count the nonzero flags by tiles, and write the coordinates or the values at nonzero flags. */
  bool (*count_nonzero)(tocha_stream *stream, const tocha_count_nonzero_args *args);
  bool (*write_nonzero)(tocha_stream *stream, const tocha_write_nonzero_args *args);
  bool (*where)(tocha_stream *stream, const tocha_where_args *args);
  /* Computes sums, products, means and extremes of the elements that an index sends to the same destination. */
  bool (*join)(tocha_stream *stream, const tocha_join_args *args);
  bool joins_sorted;
  /* Compute sums, means and maxima of bags of rows, the gradient of the table, and the gradient of the factors. */
  bool (*embed_bags)(tocha_stream *stream, const tocha_bag_args *args);
  bool (*embed_bags_grad)(tocha_stream *stream, const tocha_bag_args *args);
  bool (*embed_bags_scale_grad)(tocha_stream *stream, const tocha_bag_args *args);
  /* Adds elements to rows, in their order; on a GPU only. */
  bool (*scatter_rows)(tocha_stream *stream, const tocha_scatter_rows_args *args);
} tocha_indexing_kernels;

#ifdef __cplusplus
}
#endif
#endif
