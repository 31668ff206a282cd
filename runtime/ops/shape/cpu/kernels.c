/* kernels.c: the CPU's kernels of cat, repeat_interleave and padding. */
#include "ops/shape/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/cpu/move.h"
#include "tensor/parallel.h"

/* --- cat ------------------------------------------------------------------------------------- */

enum { GRAIN_BYTES = 4 * TOCHA_GRAIN };
enum { BLOCK_BYTES = 16384 }; /* output block that receives all parts before the next one */

static inline void copy_items(char *to, int64_t stride, const char *from, size_t bytes,
                              int64_t rows) {
  for (int64_t i = 0; i < rows; i++) memcpy(to + i * stride, from + i * (int64_t)bytes, bytes);
}

/* Copies rows of `bytes` bytes. The common sizes of one element are constants for the compiler. */
static void copy_rows(const tocha_move_loops *loops, char *to, int64_t stride, const char *from,
                      int64_t bytes, int64_t rows) {
  switch (bytes) {
  case 1:
    copy_items(to, stride, from, 1, rows);
    break;
  case 2:
    copy_items(to, stride, from, 2, rows);
    break;
  case 4:
    copy_items(to, stride, from, 4, rows);
    break;
  case 8:
    copy_items(to, stride, from, 8, rows);
    break;
  default:
    for (int64_t i = 0; i < rows; i++) loops->copy(to + i * stride, 1, from + i * bytes, 1, bytes);
  }
}

/* Interleave two columns of n elements: to = a0 b0 a1 b1 ... Compilers vectorize these loops. */
static void interleave_4(uint32_t *restrict to, const uint32_t *restrict a,
                         const uint32_t *restrict b, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[2 * i] = a[i], to[2 * i + 1] = b[i];
}

static void interleave_8(uint64_t *restrict to, const uint64_t *restrict a,
                         const uint64_t *restrict b, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[2 * i] = a[i], to[2 * i + 1] = b[i];
}

static bool is_pair(const tocha_cat_args *a) {
  const tocha_cat_part *p = a->parts;
  return a->count == 2 && (p[0].bytes == 4 || p[0].bytes == 8) && p[1].bytes == p[0].bytes &&
         p[0].at == 0 && p[1].at == p[0].bytes && a->stride == 2 * p[0].bytes;
}

typedef struct cat_call {
  const tocha_cat_args *args;
  const tocha_move_loops *bytes; /* loops for elements of one byte */
} cat_call;

/* Joins rows begin..end of two parts of one element per row: out (rows, 2). */
static void cat_pairs(void *user, int64_t begin, int64_t end) {
  const tocha_cat_args *a = ((const cat_call *)user)->args;
  const tocha_cat_part *p = a->parts;
  if (p[0].bytes == 4)
    interleave_4((uint32_t *)a->to + 2 * begin, (const uint32_t *)p[0].from + begin,
                 (const uint32_t *)p[1].from + begin, end - begin);
  else
    interleave_8((uint64_t *)a->to + 2 * begin, (const uint64_t *)p[0].from + begin,
                 (const uint64_t *)p[1].from + begin, end - begin);
}

/* Copies rows begin..end of all parts to the output, in blocks of rows. */
static void cat_rows(void *user, int64_t begin, int64_t end) {
  const cat_call *c = user;
  const tocha_cat_args *a = c->args;
  int64_t block = BLOCK_BYTES / a->stride + 1;
  for (int64_t row = begin; row < end; row += block) {
    int64_t rows = end - row < block ? end - row : block;
    for (int64_t i = 0; i < a->count; i++) {
      const tocha_cat_part *part = &a->parts[i];
      copy_rows(c->bytes, (char *)a->to + row * a->stride + part->at, a->stride,
                (const char *)part->from + row * part->bytes, part->bytes, rows);
    }
  }
}

typedef struct copy_call {
  char *to;
  const char *from;
} copy_call;

static void copy_bytes(void *user, int64_t begin, int64_t end) {
  const copy_call *c = user;
  memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
}

static bool cat(tocha_stream *stream, const tocha_cat_args *a) {
  tocha_context *cx = tocha_stream_context(stream);
  if (a->rows > 1) {
    cat_call c = {a, tocha_move_loops_table[cx->isa][tocha_moved_type(1)]};
    return tocha_parallel_for(cx, a->rows, GRAIN_BYTES / a->stride + 1,
                              is_pair(a) ? cat_pairs : cat_rows, &c);
  }
  for (int64_t i = 0; i < a->count; i++) {
    copy_call c = {(char *)a->to + a->parts[i].at, a->parts[i].from};
    if (!tocha_parallel_for(cx, a->parts[i].bytes, GRAIN_BYTES, copy_bytes, &c)) return false;
  }
  return true;
}

/* --- repeat_interleave ------------------------------------------------------------------------ */

static void repeat_part(void *user, int64_t begin, int64_t end) {
  const tocha_repeat_positions_args *a = user;
  int64_t at = begin ? a->ends[begin - 1] : 0;
  for (int64_t k = begin; k < end; k++)
    while (at < a->ends[k]) a->out[at++] = k;
}

static bool repeat_positions(tocha_stream *stream, const tocha_repeat_positions_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  return tocha_parallel_for(cx, args->n, TOCHA_GRAIN / (args->total / args->n + 1) + 1, repeat_part,
                            (void *)args);
}

/* --- rows and columns ------------------------------------------------------------------------- */

typedef struct pick_call {
  const tocha_pick_args *args;
  int64_t first, end; /* the longest run of columns that are adjacent in the input too */
} pick_call;

/* Copies the columns begin..end of a row. */
static inline void pick_items(char *restrict to, const char *restrict from, const int64_t *column,
                              int64_t begin, int64_t end, size_t bytes) {
  for (int64_t j = begin; j < end; j++)
    memcpy(to + j * (int64_t)bytes, from + column[j] * (int64_t)bytes, bytes);
}

static inline void pick_row(const pick_call *c, char *to, const char *from, size_t bytes) {
  const tocha_pick_args *a = c->args;
  pick_items(to, from, a->column, 0, c->first, bytes);
  if (c->end > c->first)
    memcpy(to + c->first * (int64_t)bytes, from + a->column[c->first] * (int64_t)bytes,
           (size_t)(c->end - c->first) * bytes);
  pick_items(to, from, a->column, c->end, a->columns, bytes);
}

/* Writes rows begin..end of out (planes, rows, columns) from in (planes, from_rows,
 * from_columns). */
static void pick_rows(void *user, int64_t begin, int64_t end) {
  const pick_call *c = user;
  const tocha_pick_args *a = c->args;
  for (int64_t r = begin; r < end; r++) {
    int64_t source = r / a->rows * a->from_rows + a->row[r % a->rows];
    char *to = (char *)a->out + r * a->columns * a->bytes;
    const char *from = (const char *)a->in + source * a->from_columns * a->bytes;
    switch (a->bytes) { /* a constant for the compiler */
    case 1:
      pick_row(c, to, from, 1);
      break;
    case 2:
      pick_row(c, to, from, 2);
      break;
    case 4:
      pick_row(c, to, from, 4);
      break;
    default:
      pick_row(c, to, from, 8);
    }
  }
}

static bool pick(tocha_stream *stream, const tocha_pick_args *args) {
  pick_call c = {args, 0, 0};
  for (int64_t j = 0, run = 0; j < args->columns; j++) {
    if (j > 0 && args->column[j] != args->column[j - 1] + 1) run = j;
    if (j + 1 - run > c.end - c.first) c.first = run, c.end = j + 1;
  }
  return tocha_parallel_for(tocha_stream_context(stream), args->planes * args->rows,
                            TOCHA_GRAIN / args->columns + 1, pick_rows, &c);
}

extern const tocha_shape_kernels tocha_cpu_shape;
const tocha_shape_kernels tocha_cpu_shape = {
    .cat = cat, .repeat_positions = repeat_positions, .pick = pick};
