/* kernels.c: the CPU's kernels that copy and fill tensors. */
#include "tensor/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/cpu/convert.h"
#include "tensor/cpu/move.h"
#include "tensor/iterator.h"
#include "tensor/interruptible.h"

/* --- copies ---------------------------------------------------------------------------------- */

static void copy_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const tocha_converter *copy = user;
  (*copy)(data[0], strides[0], data[1], strides[1], n);
}

/* A copy whose two sides are dense along different dimensions. It runs over rows of the target
 * by columns of the source, in tiles that fit the first-level cache. */
typedef struct transposition {
  const tocha_strided_layout *layout;
  const tocha_move_loops *loops;
  int64_t item;
  int64_t bands;  /* along dimension 0 of the layout, TILE elements each */
  int source_dim; /* the dimension along which the source is dense; the target's is 0 */
  tocha_stop stop;
} transposition;

enum { TILE = 32 };

static int64_t at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }

static void transpose_bands(void *user, int64_t begin, int64_t end) {
  const transposition *t = user;
  const tocha_strided_layout *l = t->layout;
  int64_t to_stride = l->strides[0][t->source_dim], from_stride = l->strides[1][0];
  int64_t columns = l->sizes[t->source_dim];
  for (int64_t band = begin; band < end; band++) {
    int64_t first = band % t->bands * TILE, outer = band / t->bands;
    int64_t rows = at_most(l->sizes[0] - first, TILE);
    char *to = (char *)l->data[0] + first * l->strides[0][0];
    const char *from = (const char *)l->data[1] + first * from_stride;
    for (int d = 1; d < l->ndim; d++) {
      if (d == t->source_dim) continue;
      int64_t index = outer % l->sizes[d];
      outer /= l->sizes[d];
      to += index * l->strides[0][d];
      from += index * l->strides[1][d];
    }
    for (int64_t j = 0; j < columns && !tocha_is_set(t->stop); j += TILE)
      t->loops->transpose(to + j * to_stride, to_stride, from + j * t->item, from_stride, rows,
                          at_most(columns - j, TILE));
  }
}

/* Returns true, and fills t, if this copy is a transposition large enough for tiles to pay. */
static bool is_transposition(const tocha_strided_layout *l, int64_t item, transposition *t) {
  if (l->numel < 1024 || l->ndim < 2 || l->strides[0][0] != item || l->strides[1][0] == item ||
      l->strides[1][0] == 0)
    return false;
  for (int d = 1; d < l->ndim; d++) {
    if (l->strides[1][d] != item || l->sizes[d] < 4 || l->sizes[0] < 4) continue;
    t->layout = l;
    t->item = item;
    t->source_dim = d;
    t->bands = (l->sizes[0] + TILE - 1) / TILE;
    return true;
  }
  return false;
}

/* A copy of rows so short that an iterator's step from one to the next would cost as much as the
 * row's elements. */
typedef struct short_rows {
  const tocha_strided_layout *layout;
  tocha_converter convert;
} short_rows;

static bool has_short_rows(const tocha_strided_layout *l) {
  enum { SHORT = 1024 };
  return l->ndim > 1 && l->sizes[0] <= SHORT;
}

static void copy_rows(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const short_rows *c = user;
  const tocha_strided_layout *l = c->layout;
  for (int64_t i = 0; i < n; i++)
    c->convert(data[0] + i * strides[0], l->strides[0][0], data[1] + i * strides[1],
               l->strides[1][0], l->sizes[0]);
}

/* Returns true if the rows have very few elements. Runs then go along dimension 1, for each
 * index of dimension 0 in turn, over few enough elements to stay in the first-level cache. */
static bool is_narrow(const tocha_strided_layout *l) {
  enum { NARROW = 8 };
  return l->sizes[0] <= NARROW && l->sizes[1] >= 4 * l->sizes[0];
}

static void copy_across(void *user, char *const *data, const int64_t *strides, int64_t n) {
  enum { ACROSS = 1024 };
  const short_rows *c = user;
  const tocha_strided_layout *l = c->layout;
  for (int64_t first = 0; first < n; first += ACROSS)
    for (int64_t i = 0; i < l->sizes[0]; i++)
      c->convert(data[0] + first * strides[0] + i * l->strides[0][0], strides[0],
                 data[1] + first * strides[1] + i * l->strides[1][0], strides[1],
                 at_most(n - first, ACROSS));
}

/* Returns true if the layout is a single run, too short for several threads. */
static bool is_small_run(const tocha_strided_layout *layout) {
  return layout->ndim == 1 && layout->numel <= TOCHA_GRAIN;
}

static bool copy(tocha_stream *stream, const tocha_strided_layout *layout) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_dtype to = layout->dtype[0], from = layout->dtype[1];
  tocha_converter convert = tocha_convert_loops_table[cx->isa][to]->from[from];
  if (to == from) {
    int64_t item = (int64_t)tocha_dtype_size(to);
    transposition t = {.loops = tocha_move_loops_table[cx->isa][tocha_moved_type(item)],
                       .stop = &cx->interrupted};
    if (is_transposition(layout, item, &t)) {
      int64_t columns = layout->sizes[t.source_dim];
      int64_t bands = layout->numel / layout->sizes[0] / columns * t.bands;
      return tocha_parallel_for(cx, bands, TOCHA_GRAIN / (TILE * columns) + 1, transpose_bands, &t);
    }
    convert = t.loops->copy;
  }
  if (is_small_run(layout)) {
    convert(layout->data[0], layout->strides[0][0], layout->data[1], layout->strides[1][0],
            layout->numel);
    return true;
  }
  if (has_short_rows(layout)) {
    short_rows c = {layout, convert};
    return tocha_run_layout_rows(cx, layout, false, is_narrow(layout) ? copy_across : copy_rows,
                                 &c);
  }
  return tocha_run_layout(cx, layout, copy_run, &convert);
}

/* --- fills ----------------------------------------------------------------------------------- */

typedef struct fill_call {
  const tocha_move_loops *loops;
  uint64_t element;
  int64_t item;
  bool bytes; /* all bytes of the element are the same */
} fill_call;

static void fill_elements(const fill_call *c, char *to, int64_t stride, int64_t n) {
  if (c->bytes && stride == c->item)
    memset(to, (int)(c->element & 0xff), (size_t)(n * c->item));
  else
    c->loops->fill(to, stride, c->element, n);
}

static void fill_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  fill_elements(user, data[0], strides[0], n);
}

static bool fill(tocha_stream *stream, const tocha_fill_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  int64_t item = (int64_t)tocha_dtype_size(args->layout->dtype[0]);
  uint64_t bits = ~(uint64_t)0 >> (64 - 8 * item), first = args->element & 0xff;
  fill_call c = {.loops = tocha_move_loops_table[cx->isa][tocha_moved_type(item)],
                 .element = args->element,
                 .item = item,
                 .bytes = (args->element & bits) == (first * 0x0101010101010101 & bits)};
  if (!is_small_run(args->layout)) return tocha_run_layout(cx, args->layout, fill_run, &c);
  fill_elements(&c, args->layout->data[0], args->layout->strides[0][0], args->layout->numel);
  return true;
}

extern const tocha_tensor_kernels tocha_cpu_tensor;
const tocha_tensor_kernels tocha_cpu_tensor = {copy, fill};
