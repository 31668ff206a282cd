/* normal.c: normal samples by the Box-Muller transform, in PyTorch's two forms: one sample at a
 * time in double precision, the second of each pair kept for the next call, and blocks of 16 in
 * the precision of the output. random.h describes them. (G. E. P. Box and M. E. Muller, "A note
 * on the generation of random normal deviates", Ann. Math. Statist. 29 (1958).)
 *
 * The float32 blocks of PyTorch's x86-64 build take logarithm, sine and cosine from the Cephes
 * library (S. L. Moshier, logf.c and sinf.c), evaluated with fused multiply-adds. This file does
 * the same operation by operation, so that every bit agrees. */

#include <math.h>
#include <string.h>

#include "random/random.h"
#include "random/simd.h"

enum { BLOCK = 16, HALF_BLOCK = 8, BATCH = 16 };

static const double two_pi = 6.283185307179586476925;

/* ---- one at a time ------------------------------------------------------------------------- */

double tocha_random_normal_sample(tocha_generator *g, double mean, double std) {
  if (g->has_next_normal) {
    g->has_next_normal = false;
    double kept = g->next_normal;
    g->next_normal = 0.0;
    return fma(kept, std, mean);
  }
  double u1 = tocha_generator_next_unit64(g);
  double u2 = tocha_generator_next_unit64(g);
  double radius = sqrt(-2.0 * log1p(-u2));
  double angle = two_pi * u1;
  g->next_normal = radius * sin(angle);
  g->has_next_normal = true;
  return fma(radius * cos(angle), std, mean);
}

void tocha_random_normal_scalar_float32(tocha_generator *g, float *out, size_t n, double mean,
                                        double std) {
  for (size_t i = 0; i < n; i++) out[i] = (float)tocha_random_normal_sample(g, mean, std);
}

void tocha_random_normal_scalar_float64(tocha_generator *g, double *out, size_t n, double mean,
                                        double std) {
  for (size_t i = 0; i < n; i++) out[i] = tocha_random_normal_sample(g, mean, std);
}

/* ---- blocks of 16, float32 ----------------------------------------------------------------- */

static inline uint32_t float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float bits_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Returns log(x) for normal x > 0: x = 2^e m with m in [sqrt(1/2), sqrt(2)), a polynomial in m -
 * 1, and e log(2) added in two parts. */
static TOCHA_INLINE float block_log(float x) {
  float e = (float)((int32_t)(float_bits(x) >> 23) - 126);
  uint32_t m_bits = (float_bits(x) & 0x007fffffu) | 0x3f000000u;
  /* All ones if m < sqrt(1/2); floats of one sign compare as their bits do. */
  uint32_t below = 0u - (uint32_t)(m_bits < float_bits(0.707106781186547524f));
  float m = bits_float(m_bits);
  e -= bits_float(float_bits(1.0f) & below);
  float f = (m - 1.0f) + bits_float(m_bits & below);
  float square = f * f;
  float y = 7.0376836292e-2f;
  y = fmaf(y, f, -1.1514610310e-1f);
  y = fmaf(y, f, 1.1676998740e-1f);
  y = fmaf(y, f, -1.2420140846e-1f);
  y = fmaf(y, f, 1.4249322787e-1f);
  y = fmaf(y, f, -1.6668057665e-1f);
  y = fmaf(y, f, 2.0000714765e-1f);
  y = fmaf(y, f, -2.4999993993e-1f);
  y = fmaf(y, f, 3.3333331174e-1f);
  float low = e * -2.12194440e-4f;
  y = fmaf(f * y, square, low);
  y = fmaf(-square, 0.5f, y);
  float sum = f + y;
  return fmaf(e, 0.693359375f, sum);
}

/* Computes sin(x) and cos(x) for 0 <= x <= 2 pi: x is reduced by the nearest even multiple of
 * pi/4, and the octant decides which of two polynomials is which function, and their signs. */
static TOCHA_INLINE void block_sincos(float x, float *sine, float *cosine) {
  int32_t octant = ((int32_t)(x * 1.27323954473516f) + 1) & ~1;
  float turns = (float)octant;
  float r = fmaf(turns, -0.78515625f, x);
  r = fmaf(turns, -2.4187564849853515625e-4f, r);
  r = fmaf(turns, -3.77489497744594108e-8f, r);
  float square = r * r;
  float c = fmaf(2.443315711809948e-5f, square, -1.388731625493765e-3f);
  c = fmaf(c, square, 4.166664568298827e-2f);
  c = square * c;
  float half = square * 0.5f;
  c = fmaf(square, c, -half) + 1.0f;
  float s = fmaf(-1.9515295891e-4f, square, 8.3321608736e-3f);
  s = fmaf(s, square, -1.6666654611e-1f);
  s = square * s;
  s = fmaf(r, s, r);
  uint32_t swap = 0u - (((uint32_t)octant >> 1) & 1u); /* all ones if the functions are exchanged */
  uint32_t s_bits = float_bits(s), c_bits = float_bits(c), both = (s_bits ^ c_bits) & swap;
  uint32_t sine_sign = ((uint32_t)octant & 4u) << 29;
  uint32_t cosine_sign = (~((uint32_t)octant - 2u) & 4u) << 29;
  *sine = bits_float(s_bits ^ both ^ sine_sign);
  *cosine = bits_float(c_bits ^ both ^ cosine_sign);
}

/* Transforms blocks in place: data[0..7] and data[8..15] of each block are uniform before,
 * normal after. Halves of several blocks are put side by side, so that the loops are long enough
 * to be vectorized. */
static TOCHA_INLINE void blocks_float32_body(float *data, size_t blocks, float mean, float std) {
  float first[HALF_BLOCK * BATCH], second[HALF_BLOCK * BATCH];
  for (size_t batch; blocks > 0; blocks -= batch, data += BLOCK * batch) {
    batch = blocks < BATCH ? blocks : BATCH;
    for (size_t i = 0; i < batch; i++) {
      memcpy(first + HALF_BLOCK * i, data + BLOCK * i, HALF_BLOCK * sizeof *data);
      memcpy(second + HALF_BLOCK * i, data + BLOCK * i + HALF_BLOCK, HALF_BLOCK * sizeof *data);
    }
    size_t pairs = HALF_BLOCK * batch;
    for (size_t i = 0; i < pairs; i++) first[i] = -2.0f * block_log(1.0f - first[i]);
    for (size_t i = 0; i < pairs; i++) first[i] = sqrtf(first[i]);
    for (size_t i = 0; i < pairs; i++) {
      float sine, cosine, radius = first[i];
      block_sincos((float)two_pi * second[i], &sine, &cosine);
      float along = radius * cosine, across = radius * sine;
      first[i] = fmaf(along, std, mean);
      second[i] = fmaf(across, std, mean);
    }
    for (size_t i = 0; i < batch; i++) {
      memcpy(data + BLOCK * i, first + HALF_BLOCK * i, HALF_BLOCK * sizeof *data);
      memcpy(data + BLOCK * i + HALF_BLOCK, second + HALF_BLOCK * i, HALF_BLOCK * sizeof *data);
    }
  }
}

static void blocks_float32_plain(float *data, size_t blocks, float mean, float std) {
  blocks_float32_body(data, blocks, mean, std);
}

TOCHA_FMA_TARGET
static void blocks_float32_fma(float *data, size_t blocks, float mean, float std) {
  blocks_float32_body(data, blocks, mean, std);
}

static void blocks_float32(float *data, size_t blocks, float mean, float std) {
  if (tocha_cpu_has_fma())
    blocks_float32_fma(data, blocks, mean, std);
  else
    blocks_float32_plain(data, blocks, mean, std);
}

void tocha_random_normal_float32(tocha_generator *g, float *out, size_t n, double mean,
                                 double std) {
  if (n < BLOCK) {
    tocha_random_normal_scalar_float32(g, out, n, mean, std);
    return;
  }
  tocha_random_uniform_float32(g, out, n, 0.0, 1.0);
  blocks_float32(out, n / BLOCK, (float)mean, (float)std);
  if (n % BLOCK != 0) {
    float *tail = out + n - BLOCK;
    tocha_random_uniform_float32(g, tail, BLOCK, 0.0, 1.0);
    blocks_float32(tail, 1, (float)mean, (float)std);
  }
}

void tocha_random_normal_reduced(tocha_generator *g, float *out, size_t n, double mean,
                                 double std) {
  if (n < BLOCK) {
    tocha_random_normal_scalar_float32(g, out, n, mean, std);
    return;
  }
  size_t whole = n - n % BLOCK;
  tocha_random_uniform_float32(g, out, whole, 0.0, 1.0);
  blocks_float32(out, n / BLOCK, (float)mean, (float)std);
  if (whole != n) {
    float *tail = out + n - BLOCK;
    tocha_random_uniform_float32(g, tail, BLOCK, 0.0, 1.0);
    blocks_float32(tail, 1, (float)mean, (float)std);
  }
}

/* ---- blocks of 16, float64 ----------------------------------------------------------------- */

static void blocks_float64(double *data, size_t blocks, double mean, double std) {
  for (double *end = data + BLOCK * blocks; data < end; data += BLOCK) {
    for (int i = 0; i < HALF_BLOCK; i++) {
      double radius = sqrt(-2.0 * log(1.0 - data[i]));
      double angle = two_pi * data[i + HALF_BLOCK];
      double first = radius * cos(angle), second = radius * sin(angle);
      data[i] = fma(first, std, mean);
      data[i + HALF_BLOCK] = fma(second, std, mean);
    }
  }
}

void tocha_random_normal_float64(tocha_generator *g, double *out, size_t n, double mean,
                                 double std) {
  if (n < BLOCK) {
    tocha_random_normal_scalar_float64(g, out, n, mean, std);
    return;
  }
  tocha_random_uniform_float64(g, out, n, 0.0, 1.0);
  blocks_float64(out, n / BLOCK, mean, std);
  if (n % BLOCK != 0) {
    double *tail = out + n - BLOCK;
    tocha_random_uniform_float64(g, tail, BLOCK, 0.0, 1.0);
    blocks_float64(tail, 1, mean, std);
  }
}
