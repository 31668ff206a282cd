/* join.c: the kernel `join`: joins elements one after the other at the positions of an index. */
#include "ops/indexing/cpu/join.h"

#include "core/context.h"
#include "device/devices.h"
#include "ops/indexing/cpu/join_rows.h"
#include "tensor/parallel.h"

enum { MIN_COLUMNS = 256 }; /* of one piece, because a row's columns are read together */

typedef struct join_call {
  const tocha_join_args *args;
  const tocha_join_rows_loops *loops;
  tocha_stop stop;
} join_call;

static void join_outer(void *user, int64_t begin, int64_t end) {
  const join_call *c = user;
  for (int64_t outer = begin; outer < end; outer++)
    c->loops->join(c->args, outer, 0, c->args->inner, c->stop);
}

static void join_inner(void *user, int64_t begin, int64_t end) {
  const join_call *c = user;
  c->loops->join(c->args, 0, begin, end, c->stop);
}

static void divide(void *user, int64_t begin, int64_t end) {
  const join_call *c = user;
  c->loops->mean(c->args, begin, end);
}

/* Joins src (outer, m, inner) into out (outer, n, inner), in parallel over outer or inner, whose parts share no element of out. */
bool tocha_cpu_join(tocha_stream *stream, const tocha_join_args *j) {
  tocha_context *cx = tocha_stream_context(stream);
  join_call c = {j, tocha_join_rows_loops_table[cx->isa][j->compute], &cx->interrupted};
  if (j->by_row && j->counts)
    for (int64_t row = 0; row < j->m; row++) j->counts[j->index[row]]++;
  bool joined = j->outer > 1
                    ? tocha_parallel_for(cx, j->outer, TOCHA_GRAIN / (4 * j->m * j->inner + 1) + 1,
                                         join_outer, &c)
                    : tocha_parallel_for(cx, j->inner, TOCHA_GRAIN / (4 * j->m + 1) + MIN_COLUMNS,
                                         join_inner, &c);
  if (!joined || j->how != TOCHA_JOIN_MEAN) return joined;
  return tocha_parallel_for(cx, j->outer * j->n * j->inner, TOCHA_GRAIN, divide, &c);
}
