/* planes.c: the walk that passes the planes of a reduction to the loops of its row.
 *
 * Dimensions are ordered and collapsed as in PyTorch's TensorIterator (reduced ones inside, then by
 * stride), because the order of a floating-point sum is part of its result. */
#include "ops/reduction/cpu/planes.h"

#include <string.h>

#include "tensor/parallel.h"
#include "tensor/interruptible.h"

typedef struct walk {
  int ndim;
  int64_t size[TOCHA_MAX_DIMS], out_stride[TOCHA_MAX_DIMS], in_stride[TOCHA_MAX_DIMS];
  char *out;
  const char *in;
  const struct tocha_reduce_loops *loops;
  double number;
  int64_t item, state; /* bytes of an element, and of a state */
  int split;           /* the dimension that is divided into parts */
  int64_t part;        /* the size of that dimension in one part */
  int64_t out_part;    /* bytes between the outputs of parts (full reductions) */
  tocha_context *cx;
} walk;

/* --- the order of dimensions ------------------------------------------------------------------------- */

/* Returns 1 if dimension a belongs inside dimension b, -1 if outside, 0 if undecided. */
static int inside(const walk *w, int a, int b) {
  if ((w->out_stride[a] == 0) != (w->out_stride[b] == 0)) return w->out_stride[a] == 0 ? 1 : -1;
  if (w->out_stride[a] != w->out_stride[b] && w->out_stride[a] != 0)
    return w->out_stride[a] < w->out_stride[b] ? 1 : -1;
  if (w->out_stride[a] != 0 && w->size[a] < w->size[b]) return 1;
  if (w->in_stride[a] == 0 || w->in_stride[b] == 0) return 0;
  if (w->in_stride[a] != w->in_stride[b]) return w->in_stride[a] < w->in_stride[b] ? 1 : -1;
  return w->size[a] < w->size[b] ? 1 : 0;
}

static void swap_dims(walk *w, int a, int b) {
  int64_t *arrays[3] = {w->size, w->out_stride, w->in_stride};
  for (int i = 0; i < 3; i++) {
    int64_t t = arrays[i][a];
    arrays[i][a] = arrays[i][b];
    arrays[i][b] = t;
  }
}

static void order_dims(walk *w) {
  for (int i = 1; i < w->ndim; i++) {
    for (int j = i, k = i - 1; k >= 0; k--) {
      int verdict = inside(w, j, k);
      if (verdict < 0) break;
      if (verdict > 0) {
        swap_dims(w, j, k);
        j = k;
      }
    }
  }
}

static void collapse_dims(walk *w) {
  int n = 0;
  for (int i = 1; i < w->ndim; i++) {
    if (w->out_stride[i] == w->out_stride[n] * w->size[n] &&
        w->in_stride[i] == w->in_stride[n] * w->size[n]) {
      w->size[n] *= w->size[i];
    } else {
      n++;
      w->size[n] = w->size[i];
      w->out_stride[n] = w->out_stride[i];
      w->in_stride[n] = w->in_stride[i];
    }
  }
  w->ndim = n + 1;
}

static void lay_out(walk *w, const tocha_reduce_args *args) {
  int64_t out_stride = w->state;
  w->ndim = 0;
  for (int i = args->ndim - 1; i >= 0; i--) {
    bool is_reduced = args->reduced >> i & 1;
    if (args->sizes[i] != 1) {
      w->size[w->ndim] = args->sizes[i];
      w->in_stride[w->ndim] = args->strides[i];
      w->out_stride[w->ndim++] = is_reduced ? 0 : out_stride;
    }
    if (!is_reduced) out_stride *= args->sizes[i];
  }
  if (w->ndim == 0) {
    w->ndim = 1;
    w->size[0] = 1;
    w->in_stride[0] = w->item;
    w->out_stride[0] = 0;
  }
  order_dims(w);
  collapse_dims(w);
}

/* --- the walk ------------------------------------------------------------------------------------------ */

enum { PIECE = 1 << 24 }; /* elements between two checks of the interrupt flag */

static bool stopped(const walk *w) { return tocha_is_set(&w->cx->interrupted); }

/* Runs the loop on one plane, in pieces if the plane is very large. */
static void run_plane(const walk *w, const tocha_plane *plane) {
  int d = plane->size[1] > 1;
  int64_t step = plane->size[1 - d] < PIECE ? PIECE / plane->size[1 - d] : 1;
  if (plane->size[d] <= step && (d == 0 || plane->size[0] <= PIECE)) {
    w->loops->plane(plane, w->number);
    return;
  }
  for (int64_t at = 0; at < plane->size[d] && !stopped(w); at += step) {
    tocha_plane piece = *plane;
    piece.size[d] = plane->size[d] - at < step ? plane->size[d] - at : step;
    piece.out = plane->out + at * plane->out_stride[d];
    piece.in = plane->in + at * plane->in_stride[d];
    run_plane(w, &piece);
  }
}

static void run_planes(const walk *w, char *out, const char *in) {
  int64_t at[TOCHA_MAX_DIMS];
  bool flat = w->ndim == 1;
  for (int d = 2; d < w->ndim; d++) at[d] = 0;
  tocha_plane p = {out,
                   in,
                   {w->size[0], flat ? 1 : w->size[1]},
                   {w->out_stride[0], flat ? 0 : w->out_stride[1]},
                   {w->in_stride[0], flat ? 0 : w->in_stride[1]}};
  while (!stopped(w)) {
    run_plane(w, &p);
    int d = 2;
    for (; d < w->ndim; d++) {
      p.out += w->out_stride[d];
      p.in += w->in_stride[d];
      if (++at[d] < w->size[d]) break;
      p.out -= w->size[d] * w->out_stride[d];
      p.in -= w->size[d] * w->in_stride[d];
      at[d] = 0;
    }
    if (d >= w->ndim) return;
  }
}

/* --- threads ------------------------------------------------------------------------------------------- */

static void run_parts(void *user, int64_t begin, int64_t end) {
  const walk *all = user;
  for (int64_t i = begin; i < end; i++) {
    walk w = *all;
    int d = w.split;
    int64_t from = i * w.part;
    w.size[d] = all->size[d] - from < w.part ? all->size[d] - from : w.part;
    if (w.size[d] > 0)
      run_planes(&w, w.out + from * w.out_stride[d] + i * w.out_part, w.in + from * w.in_stride[d]);
  }
}

static void fill_states(void *states, int64_t n, const void *start, int64_t size) {
  if (size == 8)
    for (int64_t i = 0; i < n; i++) ((uint64_t *)states)[i] = *(const uint64_t *)start;
  else if (size == 4)
    for (int64_t i = 0; i < n; i++) ((uint32_t *)states)[i] = *(const uint32_t *)start;
  else
    for (int64_t i = 0; i < n; i++) memcpy((char *)states + i * size, start, (size_t)size);
}

/* Computes a single result: each part into its own state, then all states into one. */
static bool run_full(walk *w, int64_t threads) {
  _Alignas(8) char places[64 * 8];
  if (threads > 64) threads = 64;
  w->split = w->ndim - 1;
  w->part = (w->size[w->split] + threads - 1) / threads;
  char *out = w->out;
  fill_states(places, threads, w->loops->start, w->state);
  w->out = places;
  w->out_part = w->state;
  if (!tocha_parallel_for(w->cx, threads, 1, run_parts, w)) return false;
  tocha_plane p = {out, places, {threads, 1}, {0, 0}, {w->state, 0}};
  w->loops->join(&p);
  return true;
}

/* Computes several results in parallel. max_parts: the largest number of parts that are each worth
 * a thread. */
static bool run_split(walk *w, int64_t threads, int64_t max_parts) {
  w->split = w->ndim - 1;
  for (int d = w->ndim - 1; d >= 0 && w->out_stride[d] != 0; d--) {
    if (w->size[d] >= threads) {
      w->split = d;
      break;
    }
    if (w->size[d] > w->size[w->split]) w->split = d;
  }
  int64_t size = w->size[w->split];
  /* Parts are small enough to react to interrupts, and columns are divided at cache lines. */
  int64_t parts = max_parts / 128 > threads ? max_parts / 128 / threads * threads : threads;
  w->part = (size + parts - 1) / parts;
  if (w->split == 1 && w->in_stride[1] == w->item)
    w->part = (w->part + 128 / w->item - 1) / (128 / w->item) * (128 / w->item);
  parts = (size + w->part - 1) / w->part;
  return tocha_parallel_for(w->cx, parts, 1, run_parts, w);
}

bool tocha_reduce_planes(tocha_context *cx, const tocha_reduce_args *args,
                         const struct tocha_reduce_loops *loops, void *states, int64_t size) {
  int64_t numel = args->outputs * args->count;
  fill_states(states, args->outputs, loops->start, size);
  if (numel == 0) return true;
  walk w; /* not initialized, because its arrays are long and mostly unused */
  w.cx = cx;
  w.loops = loops;
  w.number = args->number;
  w.out = states;
  w.in = args->in;
  w.state = size;
  w.item = (int64_t)tocha_dtype_size((tocha_dtype)args->in_dtype);
  w.out_part = 0;
  lay_out(&w, args);
  int64_t max_parts = (numel + TOCHA_GRAIN - 1) / TOCHA_GRAIN;
  int64_t threads = cx->threads < max_parts ? cx->threads : max_parts;
  if (numel < TOCHA_GRAIN || threads <= 1) {
    run_planes(&w, w.out, w.in);
    return !tocha_interrupted(cx);
  }
  return args->outputs == 1 ? run_full(&w, threads) : run_split(&w, threads, max_parts);
}
