/* tiles.c: runs over strided operands tile by tile (tiles.h). */
#include "tensor/cpu/tiles.h"

#include "tensor/cpu/move.h"
#include "tensor/interruptible.h"

enum { TILE = 16, WIDTH = 256, MIN_NUMEL = 1024, OPERANDS = TOCHA_LAYOUT_OPERANDS };

typedef struct tiling {
  const tocha_strided_layout *layout;
  tocha_run run;
  void *user;
  int across; /* the dimension along which the operands that cross are dense */
  const tocha_move_loops *move[OPERANDS]; /* NULL if the operand does not cross */
  int64_t item[OPERANDS];
  tocha_stop stop;
} tiling;

static int64_t at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }

/* Makes `rows` runs of `width` elements, starting at `data`. */
static void run_tile(const tiling *t, char *const *data, int64_t rows, int64_t width) {
  _Alignas(64) char buffers[OPERANDS][TILE * WIDTH * sizeof(int64_t)];
  const tocha_strided_layout *l = t->layout;
  char *row[OPERANDS];
  int64_t strides[OPERANDS], steps[OPERANDS];
  for (int k = 0; k < l->operands; k++) {
    row[k] = data[k];
    strides[k] = l->strides[k][0];
    steps[k] = l->strides[k][t->across];
    if (!t->move[k]) continue;
    row[k] = buffers[k];
    strides[k] = t->item[k];
    steps[k] = WIDTH * t->item[k];
    t->move[k]->transpose(row[k], steps[k], data[k], l->strides[k][0], width, rows);
  }
  for (int64_t i = 0; i < rows; i++) {
    t->run(t->user, row, strides, width);
    for (int k = 0; k < l->operands; k++) row[k] += steps[k];
  }
}

static int64_t bands_of(const tiling *t) { return (t->layout->sizes[t->across] + TILE - 1) / TILE; }

/* Runs bands begin..end. A band is TILE rows along the dimension `across`, at one index of the
 * outer dimensions. */
static void run_bands(void *user, int64_t begin, int64_t end) {
  const tiling *t = user;
  const tocha_strided_layout *l = t->layout;
  char *data[OPERANDS];
  for (int64_t band = begin; band < end; band++) {
    int64_t first = band % bands_of(t) * TILE, outer = band / bands_of(t);
    int64_t rows = at_most(l->sizes[t->across] - first, TILE);
    for (int k = 0; k < l->operands; k++)
      data[k] = (char *)l->data[k] + first * l->strides[k][t->across];
    for (int d = 1; d < l->ndim; d++) {
      if (d == t->across) continue;
      int64_t index = outer % l->sizes[d];
      outer /= l->sizes[d];
      for (int k = 0; k < l->operands; k++) data[k] += index * l->strides[k][d];
    }
    for (int64_t i = 0; i < l->sizes[0] && !tocha_is_set(t->stop); i += WIDTH) {
      run_tile(t, data, rows, at_most(l->sizes[0] - i, WIDTH));
      for (int k = 0; k < l->operands; k++) data[k] += WIDTH * l->strides[k][0];
    }
  }
}

/* Returns true if operand k is dense along dimension d, and not along the innermost one. */
static bool crosses(const tocha_strided_layout *l, int k, int d, int64_t item) {
  return l->strides[k][d] == item && l->strides[k][0] != item && l->strides[k][0] != 0;
}

static bool find_crossing(tocha_context *cx, tiling *t) {
  const tocha_strided_layout *l = t->layout;
  if (l->numel < MIN_NUMEL || l->ndim < 2 || l->sizes[0] < TILE) return false;
  t->across = 0;
  for (int k = 1; k < l->operands; k++) {
    int64_t item = t->item[k] = (int64_t)tocha_dtype_size((tocha_dtype)l->dtype[k]);
    for (int d = 1; d < l->ndim && !t->across; d++)
      if (l->sizes[d] >= TILE / 2 && crosses(l, k, d, item)) t->across = d;
    if (t->across && crosses(l, k, t->across, item))
      t->move[k] = tocha_move_loops_table[cx->isa][tocha_moved_type(item)];
  }
  return t->across;
}

bool tocha_run_layout_tiled(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                            void *user) {
  tiling t = {.layout = layout, .run = run, .user = user, .stop = &cx->interrupted};
  if (!find_crossing(cx, &t)) return tocha_run_layout(cx, layout, run, user);
  int64_t columns = layout->sizes[0], rows = layout->sizes[t.across];
  int64_t bands = layout->numel / columns / rows * bands_of(&t);
  return tocha_parallel_for(cx, bands, TOCHA_GRAIN / (TILE * columns) + 1, run_bands, &t);
}
