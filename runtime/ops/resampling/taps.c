/* taps.c: tables of the positions and weights of axis.h, computed in float32, or in float64 for
 * float64 and uint8. */
#include "ops/resampling/taps.h"

#include <math.h>
#include <string.h>

#include "core/rounding.h"
#include "ops/resampling/cpu/taps.h"
#include "tensor/geometry.h"
#include "tensor/copy.h"
#include "tensor/math/rounded.h"

typedef struct places {
  int64_t *positions; /* (count, out) */
  double *weights;
} places;

static int32_t mode_of(const char *name) {
  static const char *const names[] = {"nearest", "nearest-exact", "linear",
                                      "cubic",   "linear-aa",     "cubic-aa"};
  int32_t mode = 0;
  while (strcmp(name, names[mode]) != 0) mode++;
  return mode;
}

static double scale_of(const tocha_tap_rule *r, bool picks, bool single) {
  if (picks) return r->scale > 0 ? (float)(1 / r->scale) : (float)r->in / (float)r->out;
  double scale = r->scale > 0 ? 1 / r->scale : (double)r->in / (double)r->out;
  if (r->align_corners) scale = r->out > 1 ? (double)(r->in - 1) / (double)(r->out - 1) : 0;
  return single ? tocha_as_float32(scale) : scale;
}

tocha_axis tocha_axis_of(const tocha_tap_rule *rule, bool single) {
  tocha_axis axis = {.in = rule->in, .out = rule->out, .mode = mode_of(rule->mode)};
  axis.align_corners = rule->align_corners;
  axis.keeps = rule->keeps;
  axis.fused = rule->corners || axis.mode == TOCHA_AXIS_CUBIC;
  axis.scale = scale_of(rule, axis.mode <= TOCHA_AXIS_NEAREST_EXACT, single);
  axis.support = (axis.mode == TOCHA_AXIS_CUBIC_WIDE ? 2 : 1) * fmax(axis.scale, 1);
  return axis;
}

static int count_of(const tocha_axis *axis) {
  static const int counts[] = {1, 1, 2, 4};
  if (axis->mode >= TOCHA_AXIS_LINEAR_WIDE) return (int)ceil(axis->support) * 2 + 1;
  return counts[axis->mode];
}

/* Rounds the weights to a 16-bit dtype. The two of linear modes then have the sum 1. */
static void round_weights(const tocha_axis *axis, int count, int rounds, double *weights) {
  int64_t n = axis->out;
  for (int64_t k = 0; k < n * count; k++) weights[k] = tocha_rounded(weights[k], rounds);
  if (axis->mode != TOCHA_AXIS_LINEAR) return;
  for (int64_t i = 0; i < n; i++) weights[i] = tocha_rounded(1 - weights[n + i], rounds);
}

enum {
  FLOAT32_BITS = 15
}; /* with more bits float32 cannot hold a sum of bytes if some weights are negative */

/* Joins taps at the same position. The taps of antialiased modes are distinct already. */
static void join(int64_t step, int count, places p) {
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
static int shorten(const tocha_axis *axis, int count, places all) {
  double maximum = 0;
  int bits = 0;
  int64_t n = axis->out;
  for (int64_t i = 0; i < n && axis->mode < TOCHA_AXIS_LINEAR_WIDE; i++)
    join(n, count, (places){all.positions + i, all.weights + i});
  for (int64_t i = 0; i < n * count; i++) maximum = fmax(maximum, all.weights[i]);
  while (bits < 22 && floor(ldexp(maximum, bits + 1) + 0.5) < 1 << 15) bits++;
  for (int64_t i = 0; i < n * count; i++)
    all.weights[i] = ldexp(round(ldexp(all.weights[i], bits)), -bits);
  return bits;
}

bool tocha_find_taps(tocha_context *cx, const tocha_tap_rule *rule, tocha_dtype dtype,
                     tocha_device device, tocha_taps *taps) {
  bool single = dtype != TOCHA_FLOAT64 && rule->rounds != TOCHA_UINT8;
  if (!tocha_fits_int(cx, 1, &rule->out)) return false;
  tocha_axis axis = tocha_axis_of(rule, single);
  tocha_device cpu = {TOCHA_CPU, 0};
  int64_t sizes[2] = {taps->count = count_of(&axis), rule->out};
  tocha_tensor *positions = tocha_new(cx, 2, sizes, TOCHA_INT64, cpu);
  tocha_tensor *weights = tocha_new(cx, 2, sizes, TOCHA_FLOAT64, cpu);
  if (!positions || !weights) return false;
  places all = {(int64_t *)tocha_bytes(positions), (double *)tocha_bytes(weights)};
  tocha_taps_loops_table[cx->isa][single ? TOCHA_FLOAT32 : TOCHA_FLOAT64]->find(
      &axis, taps->count, all.positions, all.weights);
  if (rule->rounds == TOCHA_FLOAT16 || rule->rounds == TOCHA_BFLOAT16)
    round_weights(&axis, taps->count, rule->rounds, all.weights);
  if (rule->rounds == TOCHA_UINT8 && shorten(&axis, taps->count, all) > FLOAT32_BITS)
    dtype = TOCHA_FLOAT64;
  taps->positions = tocha_as_device(cx, positions, device);
  taps->weights = NULL;
  if (rule->mode[0] == 'n') return taps->positions != NULL;
  weights = tocha_as_dtype(cx, weights, dtype);
  taps->weights = weights ? tocha_as_device(cx, weights, device) : NULL;
  return taps->positions && taps->weights;
}
