/* kernels.c: the CPU's kernels of creation: sequences, triangles of matrices and their coordinates. */
#include "ops/creation/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "ops/creation/cpu/sequence.h"
#include "tensor/cpu/move.h"
#include "tensor/parallel.h"

/* --- sequences ------------------------------------------------------------------------------- */

typedef struct sequence_call {
  const tocha_sequence_args *args;
  const tocha_sequence_loops *loops;
} sequence_call;

static void sequence_part(void *user, int64_t begin, int64_t end) {
  const sequence_call *c = user;
  c->loops->kinds[c->args->kind](c->args, begin, end);
}

static bool sequence(tocha_stream *stream, const tocha_sequence_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  sequence_call c = {args, tocha_sequence_loops_table[cx->isa][args->dtype]};
  return tocha_parallel_for(cx, args->count, TOCHA_GRAIN, sequence_part, &c);
}

/* --- triangles ------------------------------------------------------------------------------- */

static int64_t clamped(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Sets first..last to the columns of a row that are in the triangle. */
static void columns_of(int64_t row, int64_t columns, int64_t diagonal, bool upper, int64_t *first,
                       int64_t *last) {
  int64_t edge = clamped(row + diagonal + !upper, 0, columns);
  *first = upper ? edge : 0;
  *last = upper ? columns : edge;
}

typedef struct triangle_call {
  const tocha_triangle_args *args;
  const tocha_move_loops *loops;
} triangle_call;

static void triangle_rows(void *user, int64_t begin, int64_t end) {
  const triangle_call *c = user;
  const tocha_triangle_args *a = c->args;
  int64_t item = a->item, step = a->column_stride * item, first, last;
  for (int64_t i = begin; i < end; i++) {
    int64_t batch = i / a->rows, row = i - batch * a->rows;
    char *to = (char *)a->out + i * a->columns * item;
    const char *from = (const char *)a->in + (batch * a->batch_stride + row * a->row_stride) * item;
    columns_of(row, a->columns, a->diagonal, a->upper, &first, &last);
    memset(to, 0, (size_t)(first * item));
    c->loops->copy(to + first * item, item, from + first * step, step, last - first);
    memset(to + last * item, 0, (size_t)((a->columns - last) * item));
  }
}

static bool triangle(tocha_stream *stream, const tocha_triangle_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  triangle_call c = {args, tocha_move_loops_table[cx->isa][tocha_moved_type(args->item)]};
  return tocha_parallel_for(cx, args->numel / args->columns, TOCHA_GRAIN / args->columns + 1,
                            triangle_rows, &c);
}

static bool triangle_indices(tocha_stream *stream, const tocha_triangle_indices_args *a) {
  int64_t at = 0, first, last;
  for (int64_t row = a->first_row; row < a->last_row; row++) {
    columns_of(row, a->columns, a->offset, a->upper, &first, &last);
    for (int64_t column = first; column < last; column++, at++) {
      a->out[at] = row;
      a->out[a->count + at] = column;
    }
  }
  return !tocha_interrupted(tocha_stream_context(stream));
}

extern const tocha_creation_kernels tocha_cpu_creation;
const tocha_creation_kernels tocha_cpu_creation = {
    .sequence = sequence,
    .triangle = triangle,
    .triangle_indices = triangle_indices,
};
