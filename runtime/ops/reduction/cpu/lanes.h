/* lanes.h: reductions of a row (row.h) that are not sums. A contiguous row is processed 4 x 32
 * bytes at a time; these lanes are joined pairwise, then in order. Columns are processed side by
 * side. If a state may be joined twice (`again`, a constant after inlining), a row is processed 4 x
 * 64 bytes at a time, and its last block may overlap the one before. */
#ifndef TOCHA_LANES_H
#define TOCHA_LANES_H

#include <string.h>

#include "ops/reduction/cpu/row.h"

enum { ACROSS = 128 / sizeof(T), QUARTER = ACROSS / 4 };

enum { WIDE = 256 / sizeof(T) };

ROW void fold(T *acc, int half, joining join) {
  for (int k = 0; k < half; k++) acc[k] = join(acc[k], acc[k + half]);
}

/* Joins the n elements of a row, at least WIDE of them. */
ROW T join_wide(const T *in, int64_t n, mapping map, joining join, double number) {
  T acc[WIDE];
  for (int k = 0; k < WIDE; k++) acc[k] = map(in[k], number);
  for (int64_t i = WIDE; i < n; i += WIDE) {
    const T *at = in + (i < n - WIDE ? i : n - WIDE);
    for (int k = 0; k < WIDE; k++) acc[k] = join(acc[k], map(at[k], number));
  }
  if (WIDE > 128) fold(acc, 128, join); /* each call has a constant length */
  if (WIDE > 64) fold(acc, 64, join);
  if (WIDE > 32) fold(acc, 32, join);
  fold(acc, 16, join);
  fold(acc, 8, join);
  fold(acc, 4, join);
  return join(join(acc[0], acc[1]), join(acc[2], acc[3]));
}

ROW void join_row(const T *in, int64_t n, T *out, mapping map, joining join, bool again,
                  double number) {
  if (again && n >= WIDE) {
    *out = join(*out, join_wide(in, n, map, join, number));
    return;
  }
  T acc[ACROSS], total = *out;
  int64_t i = 0;
  if (n >= ACROSS) {
    memcpy(acc, in, sizeof acc);
    for (int k = 0; k < ACROSS; k++) acc[k] = map(acc[k], number);
    for (i = ACROSS; i + ACROSS <= n; i += ACROSS)
      for (int k = 0; k < ACROSS; k++) acc[k] = join(acc[k], map(in[i + k], number));
    for (int k = 0; k < QUARTER; k++) {
      T first = join(acc[k], acc[k + QUARTER]);
      acc[k] = join(first, join(acc[k + 2 * QUARTER], acc[k + 3 * QUARTER]));
    }
    for (int k = 1; k < QUARTER; k++) acc[0] = join(acc[0], acc[k]);
    total = join(total, acc[0]);
  }
  for (; i < n; i++) total = join(total, map(in[i], number));
  *out = total;
}

/* Join one element of each of the n columns, which are adjacent (dense) or anywhere (strided). */
ROW void join_dense(T *restrict out, const T *restrict in, int64_t n, mapping map, joining join,
                    double number) {
  for (int64_t j = 0; j < n; j++) out[j] = join(out[j], map(in[j], number));
}
ROW void join_strided(char *out, int64_t out_stride, const char *in, int64_t in_stride, int64_t n,
                      mapping map, joining join, double number) {
  for (int64_t j = 0; j < n; j++) {
    T *to = (T *)(out + j * out_stride);
    *to = join(*to, map(*(const T *)(in + j * in_stride), number));
  }
}

ROW void join_plane(const tocha_plane *given, mapping map, joining join, bool again,
                    double number) {
  tocha_plane p = *given;
  if (p.out_stride[0] != 0 && p.out_stride[1] == 0) p = tocha_plane_transposed(given);
  if (p.out_stride[0] == 0 && p.in_stride[0] == sizeof(T)) {
    for (int64_t j = 0; j < p.size[1]; j++)
      join_row((const T *)(p.in + j * p.in_stride[1]), p.size[0],
               (T *)(p.out + j * p.out_stride[1]), map, join, again, number);
    return;
  }
  bool dense = p.out_stride[1] == sizeof(T) && p.in_stride[1] == sizeof(T);
  for (int64_t i = 0; i < p.size[0]; i++) {
    char *out = p.out + i * p.out_stride[0];
    const char *in = p.in + i * p.in_stride[0];
    if (dense)
      join_dense((T *)out, (const T *)in, p.size[1], map, join, number);
    else
      join_strided(out, p.out_stride[1], in, p.in_stride[1], p.size[1], map, join, number);
  }
}

#endif
