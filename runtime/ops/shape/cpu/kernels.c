/* kernels.c: cat and the positions of repeat_interleave on the CPU. */
#include "ops/shape/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/parallel.h"

/* --- cat ------------------------------------------------------------------------------------- */

enum { GRAIN_BYTES = 4 * TOCHA_GRAIN };
enum { BLOCK_BYTES = 16384 }; /* of the output, to which all parts are copied before the next */

static inline void copy_items(char *to, int64_t stride, const char *from, size_t bytes,
                              int64_t rows) {
  for (int64_t i = 0; i < rows; i++) memcpy(to + i * stride, from + i * (int64_t)bytes, bytes);
}

/* The commonest widths of one element are known to the compiler. */
static void copy_rows(char *to, int64_t stride, const char *from, int64_t bytes, int64_t rows) {
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
    copy_items(to, stride, from, (size_t)bytes, rows);
  }
}

static void cat_rows(void *user, int64_t begin, int64_t end) {
  const tocha_cat_args *a = user;
  int64_t block = BLOCK_BYTES / a->stride + 1;
  for (int64_t row = begin; row < end; row += block) {
    int64_t rows = end - row < block ? end - row : block;
    for (int64_t i = 0; i < a->count; i++) {
      const tocha_cat_part *part = &a->parts[i];
      copy_rows((char *)a->to + row * a->stride + part->at, a->stride,
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
  if (a->rows > 1)
    return tocha_parallel_for(cx, a->rows, GRAIN_BYTES / a->stride + 1, cat_rows, (void *)a);
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

extern const tocha_shape_kernels tocha_cpu_shape;
const tocha_shape_kernels tocha_cpu_shape = {cat, repeat_positions};
