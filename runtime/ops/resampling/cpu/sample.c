/* sample.c: the loops of sample.h. The taps of a place are found once for all channels. */
#include "ops/resampling/cpu/sample.h"

#include <string.h>

#include "ops/resampling/sampling.h"

static int64_t volume(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/* Finds the points of place number `place`, counted over all images. */
static void find(const tocha_sample_args *a, int64_t place, struct tocha_sample_points *p) {
  const T *grid = (const T *)a->grid + place * a->space;
  T tangent[3] = {0, 0, 0};
  for (int d = 0; a->tangent && d < a->space; d++)
    tangent[d] = ((const T *)a->tangent)[place * a->space + d];
  tocha_sample_around(a, grid, a->tangent ? tangent : NULL, p);
}

/* --- planes, between the four nearest elements: many places at once, in loops that become vectors ------------- */

enum { PLACES = 64 };

typedef struct corners {
  int32_t at[4][PLACES]; /* -1: outside */
  T weight[4][PLACES];
} corners;

static bool has_corners(const tocha_sample_args *a) {
  return a->space == 2 && a->mode == TOCHA_SAMPLE_LINEAR && a->padding != TOCHA_SAMPLE_REFLECTION &&
         !a->tangent && volume(a->in) <= INT32_MAX;
}

/* Returns the position in the image as tocha_sample_find does, without the slope. */
static inline T place_of(T x, T size, bool align, bool clamp) {
  T factor;
  x = tocha_sample_place(size, align, x, &factor);
  if (!clamp) return x;
  x = x > 0 ? x : 0;
  return x < size - 1 ? x : size - 1;
}

/* Finds the corners of n places. align and clamp repeat options of `a` as constants, so that the
 * loop is compiled for each. */
static inline void find_corners(const tocha_sample_args *a, const T *grid, int64_t n, bool align,
                                bool clamp, corners *c) {
  T height = (T)a->in[1], width = (T)a->in[2];
  int32_t line = (int32_t)a->in[2];
  for (int64_t i = 0; i < n; i++) {
    T x = place_of(grid[2 * i], width, align, clamp);
    T y = place_of(grid[2 * i + 1], height, align, clamp);
    T left = TOCHA_SCALAR_MATH(floor, x), top = TOCHA_SCALAR_MATH(floor, y);
    for (int k = 0; k < 4; k++) {
      T column = left + (T)(k & 1), row = top + (T)(k >> 1);
      bool inside = (column >= 0) & (column < width) & (row >= 0) & (row < height);
      T across = k & 1 ? x - left : left + 1 - x, down = k >> 1 ? y - top : top + 1 - y;
      int32_t at = (int32_t)(inside ? row : 0) * line + (int32_t)(inside ? column : 0);
      c->at[k][i] = inside ? at : -1;
      c->weight[k][i] = across * down; /* NaN if the coordinate is NaN, as is the sample */
    }
  }
}

static void find_all_corners(const tocha_sample_args *a, const T *grid, int64_t n, corners *c) {
  bool clamp = a->padding != TOCHA_SAMPLE_ZEROS;
  if (a->align_corners)
    clamp ? find_corners(a, grid, n, true, true, c) : find_corners(a, grid, n, true, false, c);
  else
    clamp ? find_corners(a, grid, n, false, true, c) : find_corners(a, grid, n, false, false, c);
}

static void sample_corners(const T *image, const corners *c, int64_t n, T *to) {
  for (int64_t i = 0; i < n; i++) {
    T sum = 0;
    for (int k = 0; k < 4; k++) {
      int32_t at = c->at[k][i];
      T value = image[at < 0 ? 0 : at];
      sum = FMA(c->weight[k][i], at < 0 ? 0 : value, sum);
    }
    to[i] = sum;
  }
}

/* Samples places begin..end of one image: (channels, in) to (channels, out). */
static void sample_plane(const tocha_sample_args *a, int64_t begin, int64_t end) {
  int64_t in = volume(a->in), out = volume(a->out), first = begin / out * a->channels;
  corners c;
  for (int64_t place = begin; place < end; place += PLACES) {
    int64_t n = end - place < PLACES ? end - place : PLACES;
    const T *image = (const T *)a->image + first * in;
    T *to = (T *)a->sampled + first * out + place % out;
    find_all_corners(a, (const T *)a->grid + 2 * place, n, &c);
    for (int64_t k = 0; k < a->channels; k++, image += in, to += out)
      sample_corners(image, &c, n, to);
  }
}

/* --- any mode --------------------------------------------------------------------------------- */

/* Samples places begin..end: image (images, channels, in) to sampled (images, channels, out). */
static void sample(const tocha_sample_args *a, int64_t begin, int64_t end) {
  int64_t in = volume(a->in), out = volume(a->out);
  if (has_corners(a)) {
    for (int64_t next; begin < end; begin = next) {
      next = (begin / out + 1) * out < end ? (begin / out + 1) * out : end;
      sample_plane(a, begin, next);
    }
    return;
  }
  struct tocha_sample_points p;
  for (int64_t place = begin; place < end; place++) {
    int64_t first = place / out * a->channels;
    const T *image = (const T *)a->image + first * in;
    T *to = (T *)a->sampled + first * out + place % out;
    find(a, place, &p);
    for (int64_t c = 0; c < a->channels; c++, image += in, to += out) {
      T sum = 0;
      for (int k = 0; k < p.count; k++) sum = FMA(p.weight[k], image[p.at[k]], sum);
      *to = sum;
    }
  }
}

/* Writes the slopes of places begin..end, (images, out, space), from image and sampled. */
static void slope(const tocha_sample_args *a, int64_t begin, int64_t end) {
  int64_t in = volume(a->in), out = volume(a->out);
  struct tocha_sample_points p;
  for (int64_t place = begin; place < end; place++) {
    int64_t first = place / out * a->channels;
    const T *image = (const T *)a->image + first * in;
    const T *from = (const T *)a->sampled + first * out + place % out;
    T sums[3] = {0};
    find(a, place, &p);
    for (int64_t c = 0; c < a->channels; c++, image += in, from += out) {
      for (int k = 0; k < p.count; k++) {
        T x = *from * image[p.at[k]];
        for (int d = 0; d < 3; d++) sums[d] += x * p.slope[k][d];
      }
    }
    memcpy((T *)a->slope + place * a->space, sums, (size_t)a->space * sizeof *sums);
  }
}

/* Writes images begin..end: the gradients of image (images, channels, in) from those in sampled
 * (images, channels, out). */
static void spread(const tocha_sample_args *a, int64_t begin, int64_t end) {
  int64_t in = volume(a->in), out = volume(a->out);
  struct tocha_sample_points p;
  for (int64_t n = begin; n < end; n++) {
    T *images = (T *)a->image + n * a->channels * in;
    memset(images, 0, (size_t)(a->channels * in) * sizeof *images);
    for (int64_t i = 0; i < out; i++) {
      const T *from = (const T *)a->sampled + n * a->channels * out + i;
      find(a, n * out + i, &p);
      for (int64_t c = 0; c < a->channels; c++, from += out)
        for (int k = 0; k < p.count; k++) images[c * in + p.at[k]] += p.weight[k] * *from;
    }
  }
}

const tocha_sample_loops TOCHA_LOOPS(sample) = {sample, slope, spread};
