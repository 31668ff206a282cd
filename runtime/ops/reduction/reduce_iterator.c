/* reduce_iterator.c: dimensions of reductions, and the walk that hands planes to the loops.
 *
 * Dimensions are ordered and collapsed as PyTorch's TensorIterator does it (reduced ones inside,
 * then by stride), because the order of a floating-point sum is part of its result. */
#include <string.h>

#include "tensor/convert.h"
#include "ops/reduction/kernels.h"
#include "core/isa.h"
#include "tensor/iterator.h"
#include "ops/reduction/reduce.h"

extern const tocha_reduce_loops tocha_reduce_loops_baseline;
#ifdef TOCHA_X86_KERNELS
extern const tocha_reduce_loops tocha_reduce_loops_avx2, tocha_reduce_loops_avx512;
#endif

const tocha_reduce_loops *tocha_reduce_loops_of(tocha_context *cx) {
#ifdef TOCHA_X86_KERNELS
#ifdef TOCHA_AVX512_KERNELS
  if (cx->isa == TOCHA_ISA_AVX512) return &tocha_reduce_loops_avx512;
#endif
  if (cx->isa == TOCHA_ISA_AVX2) return &tocha_reduce_loops_avx2;
#endif
  return &tocha_reduce_loops_baseline;
}

/* --- shapes ------------------------------------------------------------------------------------------ */

bool tocha_reduced_of(tocha_context *cx, const tocha_tensor *self, int dims_count,
                      const int64_t *dims, bool keepdim, tocha_reduced *reduced) {
  reduced->mask = 0;
  for (int i = 0; i < dims_count; i++) {
    int64_t dim = dims[i];
    if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
    if (reduced->mask >> dim & 1) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "dim %d appears multiple times in the list of dims",
                 (int)dim);
      return false;
    }
    reduced->mask |= (uint64_t)1 << dim;
  }
  if (dims_count == 0) reduced->mask = ~(uint64_t)0;
  reduced->count = 1;
  reduced->ndim = 0;
  for (int i = 0; i < self->ndim; i++) {
    bool goes = reduced->mask >> i & 1;
    if (goes) reduced->count *= self->sizes[i];
    if (!goes || keepdim) reduced->sizes[reduced->ndim++] = goes ? 1 : self->sizes[i];
  }
  return true;
}

tocha_dtype tocha_reduce_dtype(tocha_dtype d) {
  if (d == TOCHA_FLOAT64) return d;
  return tocha_dtype_is_floating(d) ? TOCHA_FLOAT32 : TOCHA_INT64;
}

int tocha_reduce_index(tocha_dtype compute) {
  return compute == TOCHA_FLOAT32   ? TOCHA_REDUCE_FLOAT32
         : compute == TOCHA_FLOAT64 ? TOCHA_REDUCE_FLOAT64
                                    : TOCHA_REDUCE_INT64;
}

/* --- the walk ------------------------------------------------------------------------------------------ */

typedef struct walk {
  int ndim;
  int64_t size[TOCHA_MAX_DIMS], out_stride[TOCHA_MAX_DIMS], in_stride[TOCHA_MAX_DIMS];
  char *out;
  const char *in;
  tocha_plane_loop loop;
  int split;        /* the dimension that is cut in parts */
  int64_t part;     /* its size in one part */
  int64_t out_part; /* bytes between the outputs of parts (full reductions) */
  tocha_context *cx;
} walk;

/* Whether dimension a goes inside dimension b: 1 yes, -1 no, 0 undecided. */
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

static void order_and_collapse(walk *w) {
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

static void build(walk *w, tocha_tensor *out, tocha_tensor *self, const tocha_reduced *reduced) {
  int64_t item = (int64_t)tocha_dtype_size(self->dtype), out_stride = item;
  w->ndim = 0;
  w->out = tocha_bytes(out);
  w->in = tocha_bytes(self);
  for (int i = self->ndim - 1; i >= 0; i--) {
    bool goes = reduced->mask >> i & 1;
    if (self->sizes[i] != 1) {
      w->size[w->ndim] = self->sizes[i];
      w->in_stride[w->ndim] = self->strides[i] * item;
      w->out_stride[w->ndim++] = goes ? 0 : out_stride;
    }
    if (!goes) out_stride *= self->sizes[i];
  }
  if (w->ndim == 0) {
    w->ndim = 1;
    w->size[0] = 1;
    w->in_stride[0] = item;
    w->out_stride[0] = 0;
  }
  order_and_collapse(w);
}

enum { PIECE = 1 << 26 }; /* elements between two looks at the interrupt flag */

static bool stopped(const walk *w) {
  return atomic_load_explicit(&w->cx->interrupted, memory_order_relaxed);
}

/* One plane, in pieces where it is very large. */
static void run_plane(const walk *w, const tocha_plane *plane) {
  int d = plane->size[1] > 1;
  int64_t step = plane->size[1 - d] < PIECE ? PIECE / plane->size[1 - d] : 1;
  if (plane->size[d] <= step && (d == 0 || plane->size[0] <= PIECE)) {
    w->loop(plane);
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
  int64_t at[TOCHA_MAX_DIMS] = {0};
  bool flat = w->ndim == 1;
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

/* One result: each part into its own place, then the places into one. */
static bool run_full(tocha_context *cx, walk *w, int64_t threads, tocha_dtype dtype,
                     tocha_scalar identity) {
  int64_t item = (int64_t)tocha_dtype_size(dtype);
  _Alignas(8) char places[64 * 8];
  if (threads > 64) threads = 64;
  w->split = w->ndim - 1;
  w->part = (w->size[w->split] + threads - 1) / threads;
  char *out = w->out;
  for (int64_t i = 0; i < threads; i++) tocha_store_scalar(places + i * item, dtype, identity);
  w->out = places;
  w->out_part = item;
  if (!tocha_parallel_for(cx, threads, 1, run_parts, w)) return false;
  tocha_plane p = {out, places, {threads, 1}, {0, 0}, {item, 0}};
  w->loop(&p);
  return true;
}

bool tocha_reduce_run(tocha_context *cx, tocha_tensor *out, tocha_tensor *self,
                      const tocha_reduced *reduced, tocha_plane_loop loop, tocha_scalar identity) {
  if (self->numel == 0 || self->device.type == TOCHA_META) return true;
  walk w;
  build(&w, out, self, reduced);
  w.loop = loop;
  w.cx = cx;
  w.out_part = 0;
  int64_t most = (self->numel + TOCHA_GRAIN - 1) / TOCHA_GRAIN;
  int64_t threads = cx->threads < most ? cx->threads : most;
  if (self->numel < TOCHA_GRAIN || threads <= 1) {
    run_planes(&w, w.out, w.in);
    return !tocha_interrupted(cx);
  }
  if (out->numel == 1) return run_full(cx, &w, threads, self->dtype, identity);
  w.split = w.ndim - 1;
  for (int d = w.ndim - 1; d >= 0 && w.out_stride[d] != 0; d--) {
    if (w.size[d] >= threads) {
      w.split = d;
      break;
    }
    if (w.size[d] > w.size[w.split]) w.split = d;
  }
  int64_t size = w.size[w.split];
  /* Interrupts come in time, and columns stay in whole cache lines. */
  int64_t parts = most / 128 > threads ? most / 128 / threads * threads : threads;
  w.part = (size + parts - 1) / parts;
  int64_t item = (int64_t)tocha_dtype_size(self->dtype);
  if (w.split == 1 && w.in_stride[1] == item)
    w.part = (w.part + 128 / item - 1) / (128 / item) * (128 / item);
  parts = (size + w.part - 1) / w.part;
  return tocha_parallel_for(cx, parts, 1, run_parts, &w);
}
