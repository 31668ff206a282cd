/* kernels.h: the arguments of the kernels of cat, repeat_interleave and padding, and the table that
 * a device fills (device/kernels.h). */
#ifndef TOCHA_SHAPE_KERNELS_H
#define TOCHA_SHAPE_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_CAT_PARTS = 64 };

typedef struct tocha_cat_part {
  const void *from;
  int64_t bytes, at; /* size of each row in bytes; offset in a row of the output */
} tocha_cat_part;

/* The arguments of cat: row r of each part is copied to `to + r * stride + at`. */
typedef struct tocha_cat_args {
  void *to;
  int64_t rows, stride;
  int64_t count;
  tocha_cat_part parts[TOCHA_CAT_PARTS];
} tocha_cat_args;

/* The arguments of repeat_interleave's positions: out[i] = the first k with ends[k] > i, for i in
 * 0..total. There are n ends, and the last one is total. */
typedef struct tocha_repeat_positions_args {
  const int64_t *ends;
  int64_t *out;
  int64_t n, total;
} tocha_repeat_positions_args;

/* The arguments of pick, on row-major planes of items: out[plane][r][j] =
 * in[plane][row[r]][column[j]]. from_rows, from_columns: the sizes of in. */
typedef struct tocha_pick_args {
  const void *in;
  void *out;
  const int64_t *row, *column;
  int64_t planes, rows, columns, from_rows, from_columns;
  int64_t bytes; /* of an item: 1, 2, 4 or 8 */
} tocha_pick_args;

enum { TOCHA_PAD_REFLECT, TOCHA_PAD_REPLICATE, TOCHA_PAD_CIRCULAR };

/* A padded dimension. before: places before its elements; negative if elements are left out.
 * Circular: `period` elements from `first` on repeat. */
typedef struct tocha_pad_axis {
  int64_t in, out, before, first, period;
} tocha_pad_axis;

/* The arguments of padding: in (planes, axes' in) to out (planes, axes' out), row-major, of any
 * dtype. Missing dimensions come first and have size 1. */
typedef struct tocha_pad_args {
  const void *in;
  void *out;
  int64_t planes, mode, dtype;
  tocha_pad_axis axes[3];
} tocha_pad_args;

typedef struct tocha_shape_kernels {
  bool (*cat)(tocha_stream *stream, const tocha_cat_args *args);
  bool (*repeat_positions)(tocha_stream *stream, const tocha_repeat_positions_args *args);
  bool (*pick)(tocha_stream *stream, const tocha_pick_args *args); /* NULL: pad does it */
  bool (*pad)(tocha_stream *stream, const tocha_pad_args *args);   /* NULL: pick does it */
  /* Writes the gradient (planes, axes' in), of a floating dtype, from that of (planes, axes' out) in `in`. */
  bool (*pad_backward)(tocha_stream *stream, const tocha_pad_args *args);
} tocha_shape_kernels;

#ifdef __cplusplus
}
#endif
#endif
