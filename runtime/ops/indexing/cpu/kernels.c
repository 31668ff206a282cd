/* kernels.c: the CPU's kernels of indexing. Divides elements among threads. */
#include "ops/indexing/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "ops/indexing/cpu/bag.h"
#include "ops/indexing/cpu/index.h"
#include "ops/indexing/cpu/join.h"
#include "ops/indexing/cpu/nonzero.h"
#include "ops/indexing/cpu/where.h"
#include "tensor/cpu/move.h" /* tocha_moved_type */
#include "tensor/iterator.h"

/* --- positions ------------------------------------------------------------------------------- */

typedef struct check_call {
  const tocha_index_loops *loops;
  int64_t low, size, bad;
  bool wide, found; /* wide: int64, else int32 */
} check_call;

static int64_t position_at(bool wide, const char *at) {
  return wide ? *(const int64_t *)(const void *)at : *(const int32_t *)(const void *)at;
}

static void check_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  check_call *c = user;
  if (c->found) return;
  if (c->wide && strides[0] == 8 &&
      !c->loops->any_outside((const int64_t *)(const void *)data[0], n, c->low, c->size))
    return;
  for (int64_t i = 0; i < n; i++) {
    int64_t position = position_at(c->wide, data[0] + i * strides[0]);
    if (position >= c->low && position < c->size) continue;
    c->found = true;
    c->bad = position;
    return;
  }
}

static bool check_index(tocha_stream *stream, const tocha_check_index_args *args, int64_t *bad) {
  tocha_context *cx = tocha_stream_context(stream);
  check_call c = {.loops = tocha_index_loops_table[cx->isa][TOCHA_INT64],
                  .low = args->wraps ? -args->size : 0,
                  .size = args->size,
                  .wide = args->layout->dtype[0] == TOCHA_INT64};
  (void)tocha_run_layout_in_order(cx, args->layout, check_run, &c);
  if (c.found) *bad = c.bad;
  return !c.found;
}

/* --- elements -------------------------------------------------------------------------------- */

typedef struct index_call {
  const tocha_index_args *args;
  tocha_index_loop *loop;
} index_call;

static void index_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const index_call *c = user;
  c->loop(c->args, data, strides, n);
}

/* Fails if a position was out of range when it was used, although it had been checked before. */
static bool stayed_inside(tocha_context *cx, int outside) {
  if (outside)
    tocha_fail(cx, TOCHA_INDEX_ERROR, "index out of range in self"),
        tocha_hint(cx, "another thread wrote to the indices while they were used");
  return !outside;
}

/* Runs the loop for an action. Reading may go in any order; writing and adding go in order. */
static bool run_index(tocha_stream *stream, const tocha_index_args *given) {
  tocha_context *cx = tocha_stream_context(stream);
  int outside = 0;
  tocha_index_args copy = *given, *args = &copy;
  const tocha_strided_layout *layout = args->layout;
  const tocha_index_loops *loops = tocha_index_loops_table[cx->isa][layout->dtype[1]];
  bool in_order = args->action != TOCHA_INDEX_GET, rows = layout->ndim > 1;
  for (int k = 0; k < args->axes; k++) rows = rows && layout->strides[2 + k][0] == 0;
  copy.outside = &outside;
  index_call c = {args, rows ? loops->rows[args->action] : loops->elements[args->action]};
  bool done = rows       ? tocha_run_layout_rows(cx, layout, in_order, index_run, &c)
              : in_order ? tocha_run_layout_in_order(cx, layout, index_run, &c)
                         : tocha_run_layout(cx, layout, index_run, &c);
  return done && stayed_inside(cx, outside);
}

static void keys_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const tocha_index_keys_args *a = user;
  bool wide = a->layout->dtype[0] == TOCHA_INT64, outside = false;
  for (int64_t i = 0; i < n; i++) {
    char *to = data[0] + i * strides[0];
    int64_t key = a->adds ? position_at(wide, to) : 0;
    for (int k = 0; k < a->axes; k++)
      key += tocha_index_distance(&a->axis[k], a->layout->dtype[1 + k] == TOCHA_INT64,
                                  data[1 + k] + i * strides[1 + k], &outside);
    if (a->based) {
      int last = 1 + a->axes;
      key += (data[last] + i * strides[last] - (const char *)a->base) / a->unit;
    }
    if (wide)
      *(int64_t *)(void *)to = key;
    else
      *(int32_t *)(void *)to = (int32_t)key;
  }
  tocha_index_report(a->outside, outside);
}

static bool index_keys(tocha_stream *stream, const tocha_index_keys_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  int outside = 0;
  tocha_index_keys_args copy = *args;
  copy.outside = &outside;
  return tocha_run_layout(cx, args->layout, keys_run, &copy) && stayed_inside(cx, outside);
}

/* --- nonzero elements ------------------------------------------------------------------------ */

static int64_t tiles_of(int64_t n) { return (n + TOCHA_NONZERO_TILE - 1) / TOCHA_NONZERO_TILE; }
static int64_t end_of_tile(int64_t tile, int64_t n) {
  int64_t end = (tile + 1) * TOCHA_NONZERO_TILE;
  return end < n ? end : n;
}

enum { TILE_GRAIN = TOCHA_GRAIN / TOCHA_NONZERO_TILE };

typedef struct count_call {
  const tocha_count_nonzero_args *args;
  const tocha_nonzero_loops *loops;
} count_call;

static void count_tiles(void *user, int64_t begin, int64_t end) {
  const count_call *c = user;
  for (int64_t t = begin; t < end; t++)
    c->args->tiles[t] =
        c->loops->count(c->args->flags, t * TOCHA_NONZERO_TILE, end_of_tile(t, c->args->n));
}

static bool count_nonzero(tocha_stream *stream, const tocha_count_nonzero_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  count_call c = {args, tocha_nonzero_loops_table[cx->isa][args->dtype]};
  int64_t tiles = tiles_of(args->n), before = 0;
  if (!tocha_parallel_for(cx, tiles, TILE_GRAIN, count_tiles, &c)) return false;
  for (int64_t t = 0; t < tiles; t++) {
    int64_t count = args->tiles[t];
    args->tiles[t] = before;
    before += count;
  }
  args->tiles[tiles] = before;
  return true;
}

typedef struct write_call {
  const tocha_write_nonzero_args *args;
  const tocha_nonzero_loops *loops;
  int changed; /* a tile's count differs from the first pass: another thread writes to the flags */
} write_call;

/* Writes the coordinates of n elements, the first of which has number `place`. */
static void write_coordinates(const tocha_write_nonzero_args *a, const int64_t *found, int64_t n,
                              int64_t place) {
  int last = a->ndim - 1;
  if (last == 0) {
    memcpy(a->coordinates + place, found, (size_t)n * sizeof *found);
    return;
  }
  int64_t columns = a->sizes[last], row = found[0] / columns, row_begin = row * columns;
  for (int64_t i = 0; i < n; i++, place++) {
    if (found[i] >= row_begin + columns) {
      row = found[i] / columns;
      row_begin = row * columns;
    }
    a->coordinates[last * a->count + place] = found[i] - row_begin;
    int64_t rest = row;
    for (int d = last - 1; d > 0; d--) {
      a->coordinates[d * a->count + place] = rest % a->sizes[d];
      rest /= a->sizes[d];
    }
    a->coordinates[place] = rest;
  }
}

static void write_values(const tocha_write_nonzero_args *a, const int64_t *found, int64_t n,
                         int64_t place) {
  int64_t item = a->item;
  char *to = (char *)a->out + place * item;
  const char *from = a->source;
  if (item == 4)
    for (int64_t i = 0; i < n; i++) memcpy(to + i * 4, from + found[i] * 4, 4);
  else if (item == 8)
    for (int64_t i = 0; i < n; i++) memcpy(to + i * 8, from + found[i] * 8, 8);
  else
    for (int64_t i = 0; i < n; i++) memcpy(to + i * item, from + found[i] * item, (size_t)item);
}

static void write_tiles(void *user, int64_t begin, int64_t end) {
  write_call *c = user;
  int64_t found[TOCHA_NONZERO_TILE + 1];
  for (int64_t t = begin; t < end; t++) {
    int64_t expected = c->args->tiles[t + 1] - c->args->tiles[t];
    int64_t n =
        c->loops->find(c->args->flags, t * TOCHA_NONZERO_TILE, end_of_tile(t, c->args->n), found);
    tocha_index_report(&c->changed, n != expected);
    if (n == 0 || n != expected) continue;
    if (c->args->out)
      write_values(c->args, found, n, c->args->tiles[t]);
    else
      write_coordinates(c->args, found, n, c->args->tiles[t]);
  }
}

static bool write_nonzero(tocha_stream *stream, const tocha_write_nonzero_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  write_call c = {.args = args, .loops = tocha_nonzero_loops_table[cx->isa][args->dtype]};
  if (!tocha_parallel_for(cx, tiles_of(args->n), TILE_GRAIN, write_tiles, &c)) return false;
  if (c.changed)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: count mismatch",
               args->out ? "masked_select" : "nonzero"),
        tocha_hint(cx, "another thread wrote to the %s while it was read",
                   args->out ? "mask" : "tensor");
  return !c.changed;
}

/* --- where ----------------------------------------------------------------------------------- */

static void where_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const tocha_where_loops *const *loops = user;
  (*loops)->where(data, strides, n);
}

static bool where(tocha_stream *stream, const tocha_where_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  const tocha_where_loops *loops = tocha_where_loops_table[cx->isa][tocha_moved_type(args->item)];
  tocha_strided_layout layout = *args->layout;
  uint64_t elements[2] = {args->elements[0], args->elements[1]};
  for (int k = 0; k < 2; k++)
    if (!layout.data[2 + k]) layout.data[2 + k] = &elements[k];
  return tocha_run_layout(cx, &layout, where_run, &loops);
}

/* --- bags ------------------------------------------------------------------------------------ */

typedef struct bag_call {
  const tocha_bag_args *args;
  void (*part)(const tocha_bag_args *args, int64_t begin, int64_t end);
} bag_call;

static void bag_part(void *user, int64_t begin, int64_t end) {
  const bag_call *c = user;
  c->part(c->args, begin, end);
}

static const tocha_bag_loops *bag_loops(tocha_stream *stream, const tocha_bag_args *args) {
  return tocha_bag_loops_table[tocha_stream_context(stream)->isa][args->dtype];
}

/* Runs the loop over `items`, which together take n rows of work. */
static bool run_bags(tocha_stream *stream, const bag_call *c, int64_t items) {
  int64_t row = (c->args->columns + 1) * (1 + c->args->n / (items + 1));
  bag_call copy = *c;
  return tocha_parallel_for(tocha_stream_context(stream), items, 1 + TOCHA_GRAIN / row, bag_part,
                            &copy);
}

static bool embed_bags(tocha_stream *stream, const tocha_bag_args *args) {
  const tocha_bag_loops *loops = bag_loops(stream, args);
  bag_call c = {args, args->mode == TOCHA_BAG_MAX ? loops->maxima : loops->sum};
  return run_bags(stream, &c, args->bags);
}

/* Computes the gradient of the table (rows, columns). Each part searches all indices for its rows, which costs little beside
 * adding rows if there are few parts. */
static bool embed_bags_grad(tocha_stream *stream, const tocha_bag_args *args) {
  enum { PARTS = 16 };
  tocha_context *cx = tocha_stream_context(stream);
  bag_call c = {args, bag_loops(stream, args)->add};
  bool small = args->n * args->columns < TOCHA_WORTH_THREADS;
  int64_t grain = small ? args->rows : (args->rows + PARTS - 1) / PARTS;
  return tocha_parallel_for(cx, args->rows, grain, bag_part, &c);
}

static bool embed_bags_scale_grad(tocha_stream *stream, const tocha_bag_args *args) {
  bag_call c = {args, bag_loops(stream, args)->dot};
  return run_bags(stream, &c, args->n);
}

extern const tocha_indexing_kernels tocha_cpu_indexing;
const tocha_indexing_kernels tocha_cpu_indexing = {
    check_index, run_index,      index_keys, NULL,       count_nonzero,   write_nonzero,
    where,       tocha_cpu_join, false,      embed_bags, embed_bags_grad, embed_bags_scale_grad,
    NULL,
};
