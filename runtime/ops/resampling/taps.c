/* taps.c: positions and weights of resampling, computed in float32, or in float64 for float64 and
 * uint8. */
#include "ops/resampling/taps.h"

#include <math.h>
#include <string.h>

#include "core/rounding.h"
#include "tensor/geometry.h"
#include "tensor/copy.h"
#include "tensor/math/rounded.h"

/* The taps of one position of the result while they are computed. */
typedef struct place {
  int64_t *positions; /* of tap 0; tap k is k * out further */
  double *weights;
} place;

typedef struct finder {
  const tocha_tap_rule *rule;
  bool single; /* computes in float32 */
  bool wide, cubic;
  double scale;
} finder;

static double rounded(const finder *f, double x) { return f->single ? tocha_as_float32(x) : x; }

static double scale_of(const finder *f) {
  const tocha_tap_rule *r = f->rule;
  if (r->align_corners)
    return r->out > 1 ? rounded(f, (double)(r->in - 1) / (double)(r->out - 1)) : 0;
  return rounded(f, r->scale > 0 ? 1 / r->scale : (double)r->in / (double)r->out);
}

static double multiply_add(const finder *f, double a, double b, double c) {
  return f->single ? fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double middle_of(const finder *f, int64_t i) {
  if (f->rule->align_corners) return rounded(f, f->scale * (double)i);
  if (f->rule->corners || f->cubic) return multiply_add(f, f->scale, (double)i + 0.5, -0.5);
  return rounded(f, rounded(f, f->scale * ((double)i + 0.5)) - 0.5);
}

/* Returns the weight of the cubic convolution kernel at distance x. */
static double cubic_at(double x, double a) {
  x = fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* Return cubic_at(x, -3/4) for x up to 1, and from 1 to 2. The fused multiply-adds determine the
 * last digit. */
static double near_cubic(const finder *f, double x) {
  double slope = multiply_add(f, 1.25, x, -2.25);
  return rounded(f, rounded(f, rounded(f, slope * x) * x) + 1);
}
static double far_cubic(const finder *f, double x) {
  double sum = multiply_add(f, multiply_add(f, -0.75, x, 3.75), x, -6);
  return rounded(f, rounded(f, sum * x) + 3);
}

static int64_t inside(int64_t i, int64_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static void nearest(const finder *f, int64_t i, place p) {
  const tocha_tap_rule *r = f->rule;
  bool exact = r->mode[7] == '-';
  float scale = r->scale > 0 ? (float)(1 / r->scale) : (float)r->in / (float)r->out;
  float at = exact ? ((float)i + 0.5f) * scale : (float)i * scale;
  if (!exact && r->out == r->in)
    p.positions[0] = i;
  else if (!exact && r->out == 2 * r->in)
    p.positions[0] = i / 2;
  else
    p.positions[0] = inside((int64_t)floorf(at), r->in);
  p.weights[0] = 1;
}

/* Finds the taps of linear modes. If the size does not change, elements stay as they are at any
 * scale. */
static void linear(const finder *f, int64_t i, place p) {
  const tocha_tap_rule *r = f->rule;
  double at = r->out == r->in ? (double)i : middle_of(f, i);
  if (at < 0) at = 0;
  int64_t first = inside((int64_t)at, r->in);
  double rest = at - (double)first;
  p.positions[0] = first;
  p.positions[r->out] = inside(first + 1, r->in);
  p.weights[r->out] = tocha_rounded(rest > 1 ? 1 : rest, f->rule->rounds);
  p.weights[0] = tocha_rounded(1 - p.weights[r->out], f->rule->rounds);
}

static void cubic(const finder *f, int64_t i, place p) {
  const tocha_tap_rule *r = f->rule;
  double at = middle_of(f, i), before = floor(at), rest = rounded(f, at - before);
  double other = rounded(f, 1 - rest);
  double weights[4] = {far_cubic(f, rounded(f, rest + 1)), near_cubic(f, rest),
                       near_cubic(f, other), far_cubic(f, rounded(f, other + 1))};
  for (int k = 0; k < 4; k++) {
    p.positions[k * r->out] = inside((int64_t)before - 1 + k, r->in);
    p.weights[k * r->out] = tocha_rounded(weights[k], r->rounds);
  }
}

static double support_of(const finder *f) {
  double half = f->cubic ? 2 : 1;
  return f->scale >= 1 ? half * f->scale : half;
}

/* Finds the taps of antialiased modes. Taps beyond the last one have weight 0. */
static void wide(const finder *f, int64_t i, int count, place p) {
  const tocha_tap_rule *r = f->rule;
  double center = rounded(f, f->scale * ((double)i + 0.5)), support = support_of(f), sum = 0;
  double shrink = f->scale >= 1 ? rounded(f, 1 / f->scale) : 1;
  int64_t first = (int64_t)(center - support + 0.5), end = (int64_t)(center + support + 0.5);
  if (first < 0) first = 0;
  if (end > r->in) end = r->in;
  for (int k = 0; k < count; k++) {
    double x = rounded(f, (rounded(f, (double)(first + k) - center) + 0.5) * shrink), w = 0;
    if (first + k < end) w = f->cubic ? cubic_at(x, -0.5) : fabs(x) < 1 ? 1 - fabs(x) : 0;
    p.positions[k * r->out] = inside(first + k, r->in);
    p.weights[k * r->out] = rounded(f, w);
    sum = rounded(f, sum + rounded(f, w));
  }
  for (int k = 0; k < count && sum != 0; k++) p.weights[k * r->out] /= sum;
}

static int count_of(const finder *f) {
  const tocha_tap_rule *r = f->rule;
  if (r->mode[0] == 'n') return 1;
  if (f->wide) return (int)ceil(support_of(f)) * 2 + 1;
  return f->cubic ? 4 : 2;
}

static void find(const finder *f, int count, place all) {
  for (int64_t i = 0; i < f->rule->out; i++) {
    place p = {all.positions + i, all.weights + i};
    if (f->rule->mode[0] == 'n')
      nearest(f, i, p);
    else if (f->wide)
      wide(f, i, count, p);
    else if (f->cubic)
      cubic(f, i, p);
    else
      linear(f, i, p);
  }
}

enum {
  FLOAT32_BITS = 15
}; /* with more bits float32 cannot hold a sum of bytes if some weights are negative */

/* Joins taps at the same position. The taps of antialiased modes are distinct already. */
static void join(int64_t step, int count, place p) {
  for (int k = 1; k < count; k++)
    for (int first = 0; first < k; first++) {
      if (p.positions[first * step] != p.positions[k * step]) continue;
      p.weights[first * step] += p.weights[k * step];
      p.weights[k * step] = 0;
      break;
    }
}

/* Rounds the weights so that, multiplied by the largest power of 2 that keeps them within 16 bits,
 * they are whole numbers. Returns the exponent of that power. */
static int shorten(const finder *f, int count, place all) {
  double maximum = 0;
  int bits = 0;
  int64_t n = f->rule->out;
  for (int64_t i = 0; i < n && !f->wide; i++)
    join(n, count, (place){all.positions + i, all.weights + i});
  for (int64_t i = 0; i < n * count; i++) maximum = fmax(maximum, all.weights[i]);
  while (bits < 22 && floor(ldexp(maximum, bits + 1) + 0.5) < 1 << 15) bits++;
  for (int64_t i = 0; i < n * count; i++)
    all.weights[i] = ldexp(round(ldexp(all.weights[i], bits)), -bits);
  return bits;
}

bool tocha_find_taps(tocha_context *cx, const tocha_tap_rule *rule, tocha_dtype dtype,
                     tocha_device device, tocha_taps *taps) {
  finder f = {rule, dtype != TOCHA_FLOAT64 && rule->rounds != TOCHA_UINT8,
              strstr(rule->mode, "-aa") != NULL, rule->mode[0] == 'c', 0};
  if (!tocha_fits_int(cx, 1, &rule->out)) return false;
  f.scale = scale_of(&f);
  tocha_device cpu = {TOCHA_CPU, 0};
  int64_t sizes[2] = {taps->count = count_of(&f), rule->out};
  tocha_tensor *positions = tocha_new(cx, 2, sizes, TOCHA_INT64, cpu);
  tocha_tensor *weights = tocha_new(cx, 2, sizes, TOCHA_FLOAT64, cpu);
  if (!positions || !weights) return false;
  place all = {(int64_t *)tocha_bytes(positions), (double *)tocha_bytes(weights)};
  find(&f, taps->count, all);
  if (rule->rounds == TOCHA_UINT8 && shorten(&f, taps->count, all) > FLOAT32_BITS)
    dtype = TOCHA_FLOAT64;
  taps->positions = tocha_as_device(cx, positions, device);
  taps->weights = NULL;
  if (rule->mode[0] == 'n') return taps->positions != NULL;
  weights = tocha_as_dtype(cx, weights, dtype);
  taps->weights = weights ? tocha_as_device(cx, weights, device) : NULL;
  return taps->positions && taps->weights;
}
