/* pool.c: the loops of pool.h, from planes (planes, in) to (planes, out) or back. A line of windows
 * is processed in pieces of WIDTH windows, one place of the kernel after the other. The loop over
 * windows is thus innermost, and each window sees its places in PyTorch's order. Windows of varying
 * size (adaptive) are processed one by one. */
#include "ops/pooling/cpu/pool.h"

#include <string.h>

#include "ops/pooling/windows.h"
#include "tensor/math/half.h"
#include "tensor/interruptible.h"

enum { WIDTH = 128 };

/* A piece of a line of windows: `count` windows from `first` on, and the lines of the plane that
 * they cover. */
typedef struct piece {
  const tocha_pool_args *args;
  const tocha_pool_windows *w;
  tocha_pool_span depth, height;
  int64_t z, y, first, count;
} piece;

/* The windows begin..end of a piece for which place k of the kernel's width is inside the line. at:
 * that place in the line for the piece's first window. */
typedef struct inside {
  int64_t begin, end, at;
} inside;

static inside inside_of(const piece *p, int64_t k) {
  int64_t stride = p->w->stride[2], in = p->w->in[2];
  int64_t start = p->first * stride - p->w->padding[2] + k * p->w->dilation[2];
  inside s = {0, p->count, start};
  if (start >= 0 && start + (p->count - 1) * stride < in) return s; /* common, without divisions */
  if (start < 0) s.begin = (-start + stride - 1) / stride;
  int64_t end = start < in ? (in - start + stride - 1) / stride : 0;
  if (end < s.end) s.end = end;
  return s;
}

static inline int64_t place_of(const piece *p, int64_t z, int64_t y) {
  const tocha_pool_windows *w = p->w;
  int64_t line = (p->depth.first + z * p->depth.step) * w->in[1];
  return (line + p->height.first + y * p->height.step) * w->in[2];
}

static int64_t plane_size(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/* Calls done(piece, image, index in pooled of the first window) for all pieces of lines begin..end
 * of plane number `plane`. */
static inline void for_pieces(const tocha_pool_args *args, T *image, int64_t plane, int64_t begin,
                              int64_t end, tocha_stop stop,
                              void (*done)(const piece *p, T *image, int64_t pooled)) {
  const tocha_pool_windows *w = &args->windows;
  piece p = {.args = args, .w = w};
  for (int64_t line = begin; line < end; line++) {
    int64_t pooled = plane * plane_size(w->out) + line * w->out[2];
    p.z = line / w->out[1];
    p.y = line - p.z * w->out[1];
    p.depth = tocha_pool_span_of(w, 0, p.z);
    p.height = tocha_pool_span_of(w, 1, p.y);
    for (p.first = 0; p.first < w->out[2]; p.first += WIDTH) {
      if (tocha_is_set(stop)) return;
      p.count = w->out[2] - p.first < WIDTH ? w->out[2] - p.first : WIDTH;
      done(&p, image, pooled + p.first);
    }
  }
}

static int64_t lines_of(const tocha_pool_args *a) { return a->windows.out[0] * a->windows.out[1]; }

/* Returns the end of the lines begin..end, counted over all planes, that belong to the plane of
 * line `begin`. */
static int64_t end_in_plane(int64_t begin, int64_t end, int64_t lines) {
  int64_t next = (begin / lines + 1) * lines;
  return next < end ? next : end;
}

/* --- maximum ---------------------------------------------------------------------------------- */

/* IS_BETTER compares numbers, or vectors of them. NaN is the maximum; of several NaN the last one
 * counts. */
#ifdef TOCHA_LOOPS_int64
#define IS_BETTER(value, best) ((value) > (best))
static inline T lowest(void) { return INT64_MIN; }
#else
#define IS_BETTER(value, best) (((value) > (best)) | ((value) != (value)))
static inline T lowest(void) { return (T)-INFINITY; }
#endif

/* LANES windows are compared at a time, with masks, because branches would be mispredicted half of
 * the time. */
enum { LANES = 8 };
#ifdef TOCHA_LOOPS_float32
typedef int32_t lane;
#else
typedef int64_t lane;
#endif
typedef T values __attribute__((vector_size(LANES * sizeof(T))));
typedef lane masks __attribute__((vector_size(LANES * sizeof(T))));
typedef int32_t places __attribute__((vector_size(LANES * sizeof(int32_t))));

#if defined(__clang__) || __GNUC__ >= 12
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15)
#else
#define EVEN(a, b) __builtin_shuffle(a, b, (masks){0, 2, 4, 6, 9, 11, 13, 15})
#endif

/* Loads line[0], line[stride], ..., and reads no byte beyond the last of them. */
static inline void load_values(values *v, const T *line, int64_t stride) {
  if (stride > 2) {
    for (int k = 0; k < LANES; k++) (*v)[k] = line[k * stride];
    return;
  }
  memcpy(v, line, sizeof *v);
  if (stride == 1) return;
  values last;
  memcpy(&last, line + LANES - 1, sizeof last);
  *v = EVEN(*v, last);
}

static inline void improve_lanes(T *best, int32_t *where, const T *line, int32_t place,
                                 int32_t stride) {
  static const places steps = {0, 1, 2, 3, 4, 5, 6, 7};
  values value, old;
  places from;
  load_values(&value, line, stride);
  memcpy(&old, best, sizeof old);
  memcpy(&from, where, sizeof from);
  masks better = IS_BETTER(value, old);
  places moved = __builtin_convertvector(better, places);
  old = (values)(((masks)value & better) | ((masks)old & ~better));
  from = ((place + steps * stride) & moved) | (from & ~moved);
  memcpy(best, &old, sizeof old);
  memcpy(where, &from, sizeof from);
}

/* Updates best and where with one place of the kernel. The last LANES windows may overlap the ones
 * before, which has no effect. stride repeats the windows' stride as a constant, so that the loop
 * is compiled for the common ones. */
static inline void improve(T *best, int32_t *where, const T *line, int32_t place, inside s,
                           int64_t stride) {
  for (int64_t i = s.begin; s.end - s.begin >= LANES && i < s.end; i += LANES) {
    if (i > s.end - LANES) i = s.end - LANES;
    int64_t at = s.at + i * stride;
    improve_lanes(best + i, where + i, line + at, (int32_t)(place + at), (int32_t)stride);
  }
  for (int64_t i = s.begin; s.end - s.begin < LANES && i < s.end; i++) {
    T value = line[s.at + i * stride];
    bool better = IS_BETTER(value, best[i]);
    best[i] = better ? value : best[i];
    where[i] = better ? (int32_t)(place + s.at + i * stride) : where[i];
  }
}

enum { NOWHERE = -1 };

/* Returns the index of a window in which no element is greater than the initial one. */
static int64_t first_place(const piece *p, int64_t i) {
  int64_t line = p->depth.count && p->height.count ? place_of(p, 0, 0) : 0;
  int64_t at = tocha_pool_span_of(p->w, 2, p->first + i).first, in = p->w->in[2];
  return line + (at < in ? at : in - 1);
}

/* Writes the maxima of a piece of windows, and their indices: image (in) to pooled (count). */
static void max_piece(const piece *p, T *image, int64_t pooled) {
  const tocha_pool_windows *w = p->w;
  T best[WIDTH];
  int32_t where[WIDTH];
  int64_t stride = w->stride[2];
  for (int64_t i = 0; i < p->count; i++) best[i] = lowest(), where[i] = NOWHERE;
  for (int64_t z = 0; z < p->depth.count; z++) {
    for (int64_t y = 0; y < p->height.count; y++) {
      int32_t place = (int32_t)place_of(p, z, y);
      for (int64_t k = 0; k < w->kernel[2]; k++) {
        inside s = inside_of(p, k);
        if (stride == 1)
          improve(best, where, image + place, place, s, 1);
        else if (stride == 2)
          improve(best, where, image + place, place, s, 2);
        else
          improve(best, where, image + place, place, s, stride);
      }
    }
  }
  memcpy((T *)p->args->pooled + pooled, best, (size_t)p->count * sizeof *best);
  for (int64_t i = 0; i < p->count; i++)
    p->args->indices[pooled + i] = where[i] == NOWHERE ? first_place(p, i) : where[i];
}

static inline void improve_values(T *best, const T *line, inside s, int64_t stride) {
  for (int64_t i = s.begin; i < s.end; i++) {
    T value = line[s.at + i * stride];
    best[i] = IS_BETTER(value, best[i]) ? value : best[i];
  }
}

/* Writes the maxima of a piece of windows, without indices: image (in) to pooled (count). */
static void max_values(const piece *p, T *image, int64_t pooled) {
  T best[WIDTH];
  int64_t stride = p->w->stride[2];
  for (int64_t i = 0; i < p->count; i++) best[i] = lowest();
  for (int64_t z = 0; z < p->depth.count; z++) {
    for (int64_t y = 0; y < p->height.count; y++) {
      const T *line = image + place_of(p, z, y);
      for (int64_t k = 0; k < p->w->kernel[2]; k++) {
        inside s = inside_of(p, k);
        if (stride == 1)
          improve_values(best, line, s, 1);
        else if (stride == 2)
          improve_values(best, line, s, 2);
        else
          improve_values(best, line, s, stride);
      }
    }
  }
  memcpy((T *)p->args->pooled + pooled, best, (size_t)p->count * sizeof *best);
}

/* Writes the maxima of a piece of windows, and their indices if needed, one window after the other:
 * image (in) to pooled (count). */
static void max_one_by_one(const piece *p, T *image, int64_t pooled) {
  const tocha_pool_windows *w = p->w;
  for (int64_t i = 0; i < p->count; i++) {
    tocha_pool_span width = tocha_pool_span_of(w, 2, p->first + i);
    T best = lowest();
    int64_t where = place_of(p, 0, 0) + width.first;
    for (int64_t z = 0; z < p->depth.count; z++) {
      for (int64_t y = 0; y < p->height.count; y++) {
        int64_t place = place_of(p, z, y) + width.first;
        for (int64_t x = 0; x < width.count; x++, place += width.step) {
          if (!IS_BETTER(image[place], best)) continue;
          best = image[place];
          where = place;
        }
      }
    }
    ((T *)p->args->pooled)[pooled + i] = best;
    if (p->args->indices) p->args->indices[pooled + i] = where;
  }
}

/* Pools lines begin..end: image (planes, in) to pooled and indices (planes, out). */
static void max(const tocha_pool_args *args, int64_t begin, int64_t end, tocha_stop stop) {
  int64_t in = plane_size(args->windows.in), lines = lines_of(args);
  bool pieces = !args->windows.adaptive && !args->windows.starts && in <= INT32_MAX;
  for (int64_t line = begin, next; line < end; line = next) {
    int64_t i = line / lines;
    tocha_pool_args plane = *args;
    plane.windows = tocha_pool_windows_of(&args->windows, i);
    next = end_in_plane(line, end, lines);
    for_pieces(&plane, (T *)args->image + i * in, i, line - i * lines, next - i * lines, stop,
               !pieces         ? max_one_by_one
               : args->indices ? max_piece
                               : max_values);
  }
}

/* --- averages ---------------------------------------------------------------------------------- */

/* Returns the divisor of a window's sum. */
static T divisor_of(const piece *p, int64_t i) {
  if (p->args->divisor) return (T)p->args->divisor;
  if (!p->args->count_include_pad)
    return (T)(p->depth.count * p->height.count * tocha_pool_span_of(p->w, 2, p->first + i).count);
  return (T)(tocha_pool_padded_count(p->w, 0, p->z) * tocha_pool_padded_count(p->w, 1, p->y) *
             tocha_pool_padded_count(p->w, 2, p->first + i));
}

static inline T quotient(T sum, T divisor) { return divisor != 0 ? sum / divisor : 0; }

static inline void add_windows(T *sums, const T *line, inside s, int64_t stride) {
  for (int64_t i = s.begin; i < s.end; i++) sums[i] += line[s.at + i * stride];
}

/* Writes the averages of a piece of windows: image (in) to pooled (count). */
static void average_piece(const piece *p, T *image, int64_t pooled) {
  int64_t stride = p->w->stride[2];
  T sums[WIDTH] = {0}, *to = (T *)p->args->pooled + pooled;
  for (int64_t z = 0; z < p->depth.count; z++) {
    for (int64_t y = 0; y < p->height.count; y++) {
      const T *line = image + place_of(p, z, y);
      for (int64_t k = 0; k < p->w->kernel[2]; k++) {
        if (stride == 1)
          add_windows(sums, line, inside_of(p, k), 1);
        else if (stride == 2)
          add_windows(sums, line, inside_of(p, k), 2);
        else
          add_windows(sums, line, inside_of(p, k), stride);
      }
    }
  }
  for (int64_t i = 0; i < p->count; i++) to[i] = quotient(sums[i], divisor_of(p, i));
}

static inline bool is_16_bits(int8_t dtype) {
  return dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
}

/* Returns a sum or quotient rounded to the dtype in which it is kept: the loop's, or a 16-bit
 * one. */
static inline T as_kept(T value, int8_t kept) {
  return is_16_bits(kept) ? (T)tocha_through_16_bits((float)value, kept == TOCHA_BFLOAT16) : value;
}

/* Averages a few wide windows side by side. Each adds its places in order, and the sums do not
 * depend on each other. */
enum { FEW = 4, WIDE_ENOUGH = 8 };
static void average_few(const piece *p, const T *image, int64_t i, int64_t few, T *to) {
  tocha_pool_span widths[FEW];
  T sums[FEW] = {0};
  int64_t narrowest = p->w->in[2];
  for (int k = 0; k < FEW; k++) { /* repeats the last window if there are fewer */
    widths[k] = tocha_pool_span_of(p->w, 2, p->first + i + (k < few ? k : few - 1));
    if (widths[k].count < narrowest) narrowest = widths[k].count;
  }
  for (int64_t z = 0; z < p->depth.count; z++) {
    for (int64_t y = 0; y < p->height.count; y++) {
      const T *line = image + place_of(p, z, y);
      for (int64_t x = 0; x < narrowest; x++)
        for (int k = 0; k < FEW; k++) sums[k] += line[widths[k].first + x];
      for (int k = 0; k < FEW; k++)
        for (int64_t x = narrowest; x < widths[k].count; x++) sums[k] += line[widths[k].first + x];
    }
  }
  for (int k = 0; k < few; k++)
    to[k] = sums[k] / (T)p->depth.count / (T)p->height.count / (T)widths[k].count;
}

static inline __attribute__((always_inline)) T average_one(const piece *p, const T *image,
                                                           int64_t i, int8_t kept) {
  tocha_pool_span width = tocha_pool_span_of(p->w, 2, p->first + i);
  T sum = 0;
  for (int64_t z = 0; z < p->depth.count; z++) {
    for (int64_t y = 0; y < p->height.count; y++) {
      const T *line = image + place_of(p, z, y) + width.first;
      for (int64_t x = 0; x < width.count; x++) sum = as_kept(sum + line[x], kept);
    }
  }
  sum = as_kept(as_kept(sum / (T)p->depth.count, kept) / (T)p->height.count, kept);
  return sum / (T)width.count;
}

static void average_adaptive(const piece *p, T *image, int64_t pooled) {
  T *to = (T *)p->args->pooled + pooled;
  int8_t kept = p->args->kept;
  int64_t i = 0;
  if (p->w->in[2] >= WIDE_ENOUGH * p->w->out[2] && !is_16_bits(kept))
    for (; i + 1 < p->count; i += FEW)
      average_few(p, image, i, p->count - i < FEW ? p->count - i : FEW, to + i);
  for (; i < p->count; i++) to[i] = average_one(p, image, i, kept);
}

/* Averages lines begin..end: image (planes, in) to pooled (planes, out). */
static void average(const tocha_pool_args *args, int64_t begin, int64_t end, tocha_stop stop) {
  int64_t in = plane_size(args->windows.in), lines = lines_of(args);
  for (int64_t line = begin, next; line < end; line = next) {
    int64_t i = line / lines;
    next = end_in_plane(line, end, lines);
    for_pieces(args, (T *)args->image + i * in, i, line - i * lines, next - i * lines, stop,
               args->windows.adaptive ? average_adaptive : average_piece);
  }
}

static inline void add_share(T *line, const T *shares, inside s, int64_t stride, int8_t kept) {
  for (int64_t i = s.begin; i < s.end; i++) {
    T *to = &line[s.at + i * stride];
    *to = as_kept(*to + shares[i], kept);
  }
}

/* Spreads the gradients of a piece over the image. The kernel's last place comes first, so that a
 * place of the image receives from its windows in their order. */
static void spread_piece(const piece *p, T *image, int64_t pooled) {
  int64_t stride = p->w->stride[2];
  int8_t kept = p->args->kept;
  bool in_16_bits = kept == TOCHA_FLOAT16 || kept == TOCHA_BFLOAT16;
  T shares[WIDTH];
  const T *from = (const T *)p->args->pooled + pooled;
  for (int64_t i = 0; i < p->count; i++)
    shares[i] = as_kept(quotient(from[i], divisor_of(p, i)), kept);
  for (int64_t z = 0; z < p->depth.count; z++) {
    for (int64_t y = 0; y < p->height.count; y++) {
      T *line = image + place_of(p, z, y);
      for (int64_t k = p->w->kernel[2] - 1; k >= 0; k--) {
        if (in_16_bits)
          add_share(line, shares, inside_of(p, k), stride, kept);
        else
          add_share(line, shares, inside_of(p, k), stride, TOCHA_FLOAT32);
      }
    }
  }
}

/* Spreads the gradients of a piece of adaptive windows over the image (in), one window after the
 * other. */
static void spread_one_by_one(const piece *p, T *image, int64_t pooled) {
  const T *from = (const T *)p->args->pooled + pooled;
  int8_t kept = p->args->kept;
  for (int64_t i = 0; i < p->count; i++) {
    tocha_pool_span width = tocha_pool_span_of(p->w, 2, p->first + i);
    T share = as_kept(from[i] / (T)p->depth.count, kept);
    share = as_kept(share / (T)p->height.count, kept);
    share = as_kept(share / (T)width.count, kept);
    for (int64_t z = 0; z < p->depth.count; z++) {
      for (int64_t y = 0; y < p->height.count; y++) {
        T *line = image + place_of(p, z, y) + width.first;
        for (int64_t x = 0; x < width.count; x++) line[x] = as_kept(line[x] + share, kept);
      }
    }
  }
}

/* Writes the gradients of planes begin..end: pooled (planes, out) to image (planes, in). */
static void average_backward(const tocha_pool_args *args, int64_t begin, int64_t end,
                             tocha_stop stop) {
  int64_t in = plane_size(args->windows.in);
  for (int64_t i = begin; i < end; i++) {
    T *image = (T *)args->image + i * in;
    memset(image, 0, (size_t)in * sizeof *image);
    for_pieces(args, image, i, 0, lines_of(args), stop,
               args->windows.adaptive ? spread_one_by_one : spread_piece);
  }
}

const tocha_pool_loops TOCHA_LOOPS(pool) = {max, average, average_backward};
