/* gemm_bfloat16_terms.c: small products of bfloat16 as PyTorch 2.0 sums them on a CPU. Its loops
 * for matrices of at most 16^3 multiply-adds go over the terms of a sum outside and over the
 * numbers of a line inside, unless the first factor's rows meet the second's columns as they lie
 * in memory; the sums then live in the result, and every product and sum is rounded to bfloat16.
 * Training a small network under autocast follows the printed losses only with the same roundings. */
#include "ops/gemm_half.h"

#include <string.h>

/* PyTorch's limit, and ours for one sum: 2^8 terms of one sign stop growing in 8 bits. */
enum { MOST_WORK = 16 * 16 * 16, MOST_TERMS = 64, WIDTH = 64 };

/* Whether memory holds lines of `length` numbers, `line` apart. */
static bool in_lines(int64_t along, int64_t length, int64_t line) {
  return along == 1 && line >= length;
}

/* For a result of one column the lines are the first factor's columns, else the second one's rows,
 * into which PyTorch also copies a matrix that has neither rows nor columns. */
bool tocha_bfloat16_by_terms(const tocha_half_product *p, const tocha_tensor *a,
                             const tocha_tensor *b) {
  if (p->dtype != TOCHA_BFLOAT16 || p->k > MOST_TERMS) return false;
  if (p->batch * p->m * p->n * p->k > MOST_WORK || p->batch * p->m * p->n == 0) return false;
  int last = a->ndim - 1;
  if (p->n == 1) return in_lines(a->strides[last - 1], p->m, a->strides[last]);
  int64_t row = b->strides[last - 1], column = b->strides[last];
  return in_lines(column, p->n, row) || !in_lines(row, p->k, column);
}

static float widened(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

/* To the nearest bfloat16, halfway to the even. Not for NaN, which stays as it is. */
static float rounded(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = value == value ? (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000 : bits;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The next term of each sum. A stride that is known lets the compiler use vectors. */
static inline void add_terms(float *sums, float factor, const uint16_t *b, int64_t stride,
                             int64_t width) {
  for (int64_t c = 0; c < width; c++)
    sums[c] = rounded(sums[c] + rounded(factor * widened(b[c * stride])));
}

/* `width` numbers of a row of the result; b and bias begin at the first one's column. */
static void multiply_line(const tocha_half_product *p, const uint16_t *a, const uint16_t *b,
                          const uint16_t *bias, int64_t width, uint16_t *out) {
  float sums[WIDTH];
  for (int64_t c = 0; c < width; c++) sums[c] = bias ? widened(bias[c]) : 0;
  for (int64_t t = 0; t < p->k; t++, a += p->a_column, b += p->b_row) {
    float factor = widened(*a);
    if (p->b_column == 1)
      add_terms(sums, factor, b, 1, width);
    else
      add_terms(sums, factor, b, p->b_column, width);
  }
  for (int64_t c = 0; c < width; c++) {
    uint32_t bits;
    memcpy(&bits, sums + c, sizeof bits);
    out[c] = (uint16_t)(sums[c] == sums[c] ? bits >> 16 : 0x7fc0);
  }
}

void tocha_bfloat16_terms(const tocha_half_product *p) {
  const uint16_t *bias = (const uint16_t *)p->bias;
  uint16_t *out = (uint16_t *)p->out;
  for (int64_t i = 0; i < p->batch * p->m; i++, out += p->n) {
    const uint16_t *a = (const uint16_t *)p->a + i / p->m * p->a_batch + i % p->m * p->a_row;
    const uint16_t *b = (const uint16_t *)p->b + i / p->m * p->b_batch;
    for (int64_t c = 0; c < p->n; c += WIDTH)
      multiply_line(p, a, b + c * p->b_column, bias ? bias + c : NULL,
                    p->n - c < WIDTH ? p->n - c : WIDTH, out + c);
  }
}
