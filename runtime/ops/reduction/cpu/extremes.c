/* extremes.c: extremes and their first positions. */
#include <string.h>

#include "ops/reduction/cpu/positions.h"
#include "ops/reduction/cpu/reduction.h"
#include "tensor/parallel.h"

typedef struct call {
  const tocha_positions_loops *loops;
  bool max;
  int64_t item, n, inner;
  const char *in;
  char *values;
  int64_t *indices;
} call;

/* Finds the extremes for outer indices begin..end: in (outer, n, inner) to values and indices
 * (outer, inner). */
static void find_rows(void *user, int64_t begin, int64_t end) {
  const call *c = user;
  int64_t n = c->n, inner = c->inner, item = c->item;
  for (int64_t o = begin; o < end; o++) {
    const char *in = c->in + o * n * inner * item;
    char *values = c->values + o * inner * item;
    int64_t *indices = c->indices + o * inner;
    if (inner == 1) {
      indices[0] = c->loops->find(c->max, in, n);
      memcpy(values, in + indices[0] * item, (size_t)item);
      continue;
    }
    memcpy(values, in, (size_t)(inner * item));
    memset(indices, 0, (size_t)inner * sizeof *indices);
    for (int64_t i = 1; i < n; i++)
      c->loops->step(c->max, values, indices, in + i * inner * item, inner, i);
  }
}

enum { MAX_PARTS = 64 };

typedef struct part_call {
  const call *c;
  int64_t part;
  _Alignas(8) char values[MAX_PARTS * 8]; /* the extreme of each part */
  int64_t indices[MAX_PARTS];
} part_call;

static void find_part(void *user, int64_t begin, int64_t end) {
  part_call *p = user;
  const call *c = p->c;
  for (int64_t i = begin; i < end; i++) {
    int64_t at = i * p->part, left = c->n - at, n = left < p->part ? left : p->part;
    int64_t best = at + c->loops->find(c->max, c->in + at * c->item, n);
    p->indices[i] = best;
    memcpy(p->values + i * c->item, c->in + best * c->item, (size_t)c->item);
  }
}

/* Finds the extreme of one long row, divided among the threads, and the first of the parts'
 * extremes. */
static bool find_in_parts(tocha_context *cx, const call *c, int64_t parts) {
  part_call p = {.c = c, .part = (c->n + parts - 1) / parts};
  parts = (c->n + p.part - 1) / p.part;
  if (!tocha_parallel_for(cx, parts, 1, find_part, &p)) return false;
  int64_t best = c->loops->find(c->max, p.values, parts);
  c->indices[0] = p.indices[best];
  memcpy(c->values, p.values + best * c->item, (size_t)c->item);
  return true;
}

bool tocha_cpu_positions(tocha_context *cx, const tocha_reduce_args *args, void *values,
                         int64_t *indices) {
  if (args->outputs == 0) return true;
  call c = {.loops = tocha_positions_loops_table[cx->isa][tocha_elements_of_loops(args->in_dtype)],
            .max = args->max,
            .item = (int64_t)tocha_dtype_size((tocha_dtype)args->in_dtype),
            .n = args->count,
            .inner = 1,
            .in = args->in,
            .values = values,
            .indices = indices};
  for (int i = args->ndim - 1; i >= 0 && !(args->reduced >> i & 1); i--) c.inner *= args->sizes[i];
  int64_t each = c.n * c.inner, threads = cx->threads < MAX_PARTS ? cx->threads : MAX_PARTS;
  if (args->outputs == 1 && threads > 1 && each >= 2 * TOCHA_GRAIN)
    return find_in_parts(cx, &c, threads);
  return tocha_parallel_for(cx, args->outputs / c.inner, TOCHA_GRAIN / each + 1, find_rows, &c);
}
