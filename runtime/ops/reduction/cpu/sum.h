/* sum.h: sums of a row (row.h), s + t, in PyTorch's order (its CPU build for AVX2, with 32-byte
 * vectors), so that results agree to the last bit. A row is added as four vectors side by side,
 * each a cascade (cascade_sum.h). The four sums are added in order; the lanes of that vector are
 * added after the elements that filled no vector. Columns added downwards have a cascade each. Of
 * the last columns, up to 31, the rows form four interleaved sequences. */
#ifndef TOCHA_SUM_H
#define TOCHA_SUM_H

#include <string.h>

#include "ops/reduction/cpu/cascade.h"
#include "ops/reduction/cpu/row.h"

typedef N V __attribute__((vector_size(32)));
enum { LEVELS = 4, GROUP = 4, W = sizeof(V) / sizeof(T), PANEL = 2048 / sizeof(T) };

/* Map an element (then a vector) to the value that is added: x itself, its absolute value, its
 * square. */
ROW N mapped_element(N x, mapping map, double number) { return (N)map((S)x, number); }
ROW void map_element(N *x, mapping map, double number) { *x = mapped_element(*x, map, number); }
ROW void map_vector(V *x, mapping map, double number) {
  if (map == itself) return;
  for (int k = 0; k < W; k++) (*x)[k] = mapped_element((*x)[k], map, number);
}

#define A N
#define CASCADE(name) cascade_##name
#define MAP_ELEMENT map_element
#include "ops/reduction/cpu/cascade_sum.h"
#define A V
#define CASCADE(name) vector_cascade_##name
#define MAP_ELEMENT map_vector
#include "ops/reduction/cpu/cascade_sum.h"

/* --- rows and columns -------------------------------------------------------------------------------- */

ROW void add_to(const tocha_plane *p, int64_t j, N sum) {
  *(N *)(p->out + j * p->out_stride[1]) += sum;
}

/* Adds up contiguous rows: in (size[1], size[0]) to out (size[1]). */
ROW void sum_rows(const tocha_plane *p, mapping map, double number) {
  int64_t vectors = p->size[0] / W;
  for (int64_t j = 0; j < p->size[1]; j++) {
    const char *in = p->in + j * p->in_stride[1];
    V sums;
    vector_cascade_row(in, sizeof(V), vectors, &sums, map, number);
    N total = 0;
    for (int64_t k = vectors * W; k < p->size[0]; k++)
      total += mapped_element(((const N *)in)[k], map, number);
    for (int k = 0; k < W; k++) total += sums[k];
    add_to(p, j, total);
  }
}

/* Adds `rows` rows of `width` columns to a. */
ROW void add_panel_rows(N *restrict a, const char *in, int64_t row, int64_t rows, int64_t width,
                        mapping map, double number) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const N *restrict x0 = (const N *)(in + r * row);
    const N *restrict x1 = (const N *)(in + (r + 1) * row);
    const N *restrict x2 = (const N *)(in + (r + 2) * row);
    const N *restrict x3 = (const N *)(in + (r + 3) * row);
    for (int64_t j = 0; j < width; j++)
      a[j] = (((a[j] + mapped_element(x0[j], map, number)) + mapped_element(x1[j], map, number)) +
              mapped_element(x2[j], map, number)) +
             mapped_element(x3[j], map, number);
  }
  for (; r < rows; r++) {
    const N *restrict x = (const N *)(in + r * row);
    for (int64_t j = 0; j < width; j++) a[j] += mapped_element(x[j], map, number);
  }
}

/* Adds up `width` columns from column j on. width: a multiple of four vectors, at most PANEL, so
 * that the sums stay in the L1 cache. */
ROW void sum_panel(const tocha_plane *p, int64_t j, int64_t width, mapping map, double number) {
  const char *in = p->in + j * (int64_t)sizeof(T);
  int64_t row = p->in_stride[0], size = p->size[0];
  _Alignas(64) N level[LEVELS][PANEL];
  int power = tocha_cascade_power(size, LEVELS);
  int64_t step = (int64_t)1 << power, i = 0;
  memset(level, 0, sizeof level);
  while (i < size) {
    int64_t rows = i + step <= size ? step : size - i;
    add_panel_rows(level[0], in + i * row, row, rows, width, map, number);
    i += rows;
    for (int l = 1; l < LEVELS && rows == step; l++) {
      for (int64_t k = 0; k < width; k++) {
        level[l][k] += level[l - 1][k];
        level[l - 1][k] = 0;
      }
      if ((i & ((step - 1) << (l * power))) != 0) break;
    }
  }
  for (int64_t k = 0; k < width; k++)
    add_to(p, j + k, ((level[0][k] + level[1][k]) + level[2][k]) + level[3][k]);
}

/* Adds up adjacent columns: in (size[0], size[1]) to out (size[1]). */
ROW void sum_columns(const tocha_plane *p, mapping map, double number) {
  int64_t j = 0, whole = p->size[1] / (GROUP * W) * (GROUP * W), row = p->in_stride[0];
  for (; j < whole; j += PANEL) sum_panel(p, j, whole - j < PANEL ? whole - j : PANEL, map, number);
  for (j = whole; j + W <= p->size[1]; j += W) {
    const char *in = p->in + j * (int64_t)sizeof(T);
    V sums;
    vector_cascade_row(in, row, p->size[0], &sums, map, number);
    for (int k = 0; k < W; k++) add_to(p, j + k, sums[k]);
  }
  for (; j < p->size[1]; j++) {
    N sum;
    cascade_row(p->in + j * (int64_t)sizeof(T), row, p->size[0], &sum, map, number);
    add_to(p, j, sum);
  }
}

ROW void sum_strided(const tocha_plane *p, mapping map, double number) {
  int64_t j = 0;
  N sums[GROUP];
  if (p->in_stride[0] >= p->in_stride[1]) {
    for (; j + GROUP <= p->size[1]; j += GROUP) {
      cascade_columns(p->in + j * p->in_stride[1], p->in_stride[0], p->in_stride[1], p->size[0],
                      sums, map, number);
      for (int k = 0; k < GROUP; k++) add_to(p, j + k, sums[k]);
    }
  }
  for (; j < p->size[1]; j++) {
    N sum;
    cascade_row(p->in + j * p->in_stride[1], p->in_stride[0], p->size[0], &sum, map, number);
    add_to(p, j, sum);
  }
}

/* Adds each element to its own output, because neither dimension is reduced. */
ROW void sum_each(const tocha_plane *p, mapping map, double number) {
  for (int64_t j = 0; j < p->size[1]; j++) {
    tocha_plane line = *p;
    line.out = p->out + j * p->out_stride[1];
    line.out_stride[1] = p->out_stride[0];
    const char *in = p->in + j * p->in_stride[1];
    for (int64_t i = 0; i < p->size[0]; i++)
      add_to(&line, i, mapped_element(*(const N *)(in + i * p->in_stride[0]), map, number));
  }
}

ROW void sum_plane(const tocha_plane *given, mapping map, double number) {
  tocha_plane p = *given;
  if (p.out_stride[0] != 0 && p.out_stride[1] == 0) p = tocha_plane_transposed(given);
  if (p.out_stride[0] != 0)
    sum_each(&p, map, number);
  else if (p.in_stride[0] == sizeof(T) && p.size[0] >= W)
    sum_rows(&p, map, number);
  else if (p.in_stride[1] == sizeof(T) && p.size[1] >= W)
    sum_columns(&p, map, number);
  else
    sum_strided(&p, map, number);
}

/* Adds up states, unmapped. */
ROW void sum_states(const tocha_plane *p) { sum_plane(p, itself, 0); }

#endif
