/* sample.c: the loops of sample.h. What a place needs is found once, for all channels. */
#include "ops/resampling/cpu/sample.h"

#include <string.h>

#include "ops/resampling/sampling.h"

static int64_t volume(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/* The points of a place by its number among all images'. */
static void find(const tocha_sample_args *a, int64_t place, struct tocha_sample_points *p) {
  const T *grid = (const T *)a->grid + place * a->space;
  const T *tangent = a->tangent ? (const T *)a->tangent + place * a->space : NULL;
  tocha_sample_around(a, grid, tangent, p);
}

static void sample(const tocha_sample_args *a, int64_t begin, int64_t end) {
  int64_t in = volume(a->in), out = volume(a->out);
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
