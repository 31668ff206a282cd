/* unfold.c: the loops of unfold.h. A row of columns belongs to one channel and one position of the kernel. Its elements are the
 * elements of that channel's plane that this position meets as the windows move. */
#include "ops/convolution/cpu/unfold.h"

#include <string.h>

/* The relation between a row of columns and its plane, for each dimension: the plane's position for window 0, and the windows
 * that are inside the plane. */
typedef struct row {
  int64_t start[3];         /* the position for window 0, below 0 in the padding */
  int64_t first[3], end[3]; /* the windows that meet the plane */
} row;

/* Returns the row of the kernel's position `place`. Only positions first..end of the plane count as inside. */
static row row_of(const tocha_windows *w, int64_t place, const int64_t *first, const int64_t *end) {
  row r;
  for (int d = 2; d >= 0; d--) {
    int64_t k = place % w->kernel[d], step = w->stride[d];
    place /= w->kernel[d];
    r.start[d] = k * w->dilation[d] - w->padding[d];
    r.first[d] = r.start[d] < first[d] ? (first[d] - r.start[d] + step - 1) / step : 0;
    int64_t left = end[d] - r.start[d];
    r.end[d] = left > 0 ? (left + step - 1) / step : 0;
    if (r.end[d] > w->out[d]) r.end[d] = w->out[d];
    if (r.first[d] > r.end[d]) r.first[d] = r.end[d];
  }
  return r;
}

static int64_t plane_size(const tocha_windows *w) { return w->in[0] * w->in[1] * w->in[2]; }
static int64_t windows_of(const tocha_windows *w) { return w->out[0] * w->out[1] * w->out[2]; }
static int64_t kernel_size(const tocha_windows *w) {
  return w->kernel[0] * w->kernel[1] * w->kernel[2];
}

static void copy_line(T *to, const T *from, int64_t n, int64_t step) {
  if (step == 1)
    memcpy(to, from, (size_t)n * sizeof *to);
  else
    for (int64_t i = 0; i < n; i++) to[i] = from[i * step];
}

static void add_line(T *to, const T *from, int64_t n, int64_t step) {
  if (step == 1)
    for (int64_t i = 0; i < n; i++) to[i] += from[i];
  else
    for (int64_t i = 0; i < n; i++) to[i * step] += from[i];
}

static inline bool is_inside(const row *r, int d, int64_t window) {
  return window >= r->first[d] && window < r->end[d];
}

static void unfold_row(const tocha_windows *w, const row *r, const T *plane, T *to,
                       tocha_stop stop) {
  int64_t first = r->first[2], n = r->end[2] - first, width = w->out[2];
  int64_t at = r->start[2] + first * w->stride[2];
  for (int64_t z = 0; z < w->out[0]; z++) {
    for (int64_t y = 0; y < w->out[1]; y++, to += width) {
      if (tocha_is_set(stop)) return;
      if (!is_inside(r, 0, z) || !is_inside(r, 1, y)) {
        memset(to, 0, (size_t)width * sizeof *to);
        continue;
      }
      int64_t line = (r->start[0] + z * w->stride[0]) * w->in[1] + r->start[1] + y * w->stride[1];
      memset(to, 0, (size_t)first * sizeof *to);
      copy_line(to + first, plane + line * w->in[2] + at, n, w->stride[2]);
      memset(to + first + n, 0, (size_t)(width - first - n) * sizeof *to);
    }
  }
}

static void fold_row(const tocha_windows *w, const row *r, const T *from, T *plane,
                     tocha_stop stop) {
  int64_t first = r->first[2], n = r->end[2] - first;
  int64_t at = r->start[2] + first * w->stride[2];
  for (int64_t z = r->first[0]; z < r->end[0]; z++) {
    for (int64_t y = r->first[1]; y < r->end[1]; y++) {
      if (tocha_is_set(stop)) return;
      int64_t line = (r->start[0] + z * w->stride[0]) * w->in[1] + r->start[1] + y * w->stride[1];
      add_line(plane + line * w->in[2] + at, from + (z * w->out[1] + y) * w->out[2] + first, n,
               w->stride[2]);
    }
  }
}

static void unfold(const tocha_unfold_args *args, int64_t begin, int64_t end, tocha_stop stop) {
  const tocha_windows *w = &args->windows;
  const int64_t none[3] = {0};
  int64_t kernel = kernel_size(w);
  for (int64_t i = begin; i < end; i++) {
    row r = row_of(w, i % kernel, none, w->in);
    unfold_row(w, &r, (const T *)args->image + i / kernel * plane_size(w),
               (T *)args->columns + i * windows_of(w), stop);
  }
}

/* Writes zeros to the positions first..last of a plane (in). */
static void clear(const tocha_windows *w, T *plane, const int64_t *first, const int64_t *last) {
  for (int64_t z = first[0]; z < last[0]; z++)
    for (int64_t y = first[1]; y < last[1]; y++)
      memset(plane + (z * w->in[1] + y) * w->in[2] + first[2], 0,
             (size_t)(last[2] - first[2]) * sizeof *plane);
}

static void fold(const tocha_unfold_args *args, int64_t begin, int64_t end, tocha_stop stop) {
  const tocha_windows *w = &args->windows;
  int64_t kernel = kernel_size(w), size = plane_size(w), first[3], last[3];
  tocha_folded_places(args, first, last);
  for (int64_t i = begin; i < end; i++) {
    T *plane = (T *)args->image + i * size;
    clear(w, plane, first, last);
    for (int64_t k = 0; k < kernel && !tocha_is_set(stop); k++) {
      row r = row_of(w, k, first, last);
      fold_row(w, &r, (const T *)args->columns + (i * kernel + k) * windows_of(w), plane, stop);
    }
  }
}

const tocha_unfold_loops TOCHA_LOOPS(unfold) = {unfold, fold};
