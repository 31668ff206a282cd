/* bytes.h: sums of a row (row.h) over bool and uint8 into int64, without conversion. Each mapped
 * element must fit into a byte. */
#ifndef TOCHA_BYTES_H
#define TOCHA_BYTES_H

#include <string.h>

#include "ops/reduction/cpu/row.h"

/* Returns the sum of n mapped bytes. */
ROW int64_t sum_bytes(const uint8_t *in, int64_t n, mapping map, double number) {
  int64_t total = 0, i = 0;
  while (i < n) {
    uint32_t some = 0;
    int64_t end = n - i < 65536 ? n : i + 65536;
    for (; i < end; i++) some += (uint8_t)map(in[i], number);
    total += some;
  }
  return total;
}

enum { PANEL = 1024, PANEL_ROWS = 256 }; /* a uint16_t holds the sum of PANEL_ROWS bytes */

/* Adds up `width` adjacent columns of bytes from column j on. */
ROW void sum_panel(const tocha_plane *p, int64_t j, int64_t width, mapping map, double number) {
  uint16_t some[PANEL];
  for (int64_t i = 0; i < p->size[0];) {
    int64_t end = p->size[0] - i < PANEL_ROWS ? p->size[0] : i + PANEL_ROWS;
    memset(some, 0, (size_t)width * sizeof *some);
    for (; i < end; i++) {
      const uint8_t *restrict in = (const uint8_t *)p->in + i * p->in_stride[0] + j;
      for (int64_t k = 0; k < width; k++) some[k] += (uint8_t)map(in[k], number);
    }
    for (int64_t k = 0; k < width; k++)
      *(int64_t *)(p->out + (j + k) * p->out_stride[1]) += some[k];
  }
}

ROW void sum_strided(const tocha_plane *p, mapping map, double number) {
  for (int64_t i = 0; i < p->size[0]; i++) {
    char *out = p->out + i * p->out_stride[0];
    const char *in = p->in + i * p->in_stride[0];
    for (int64_t j = 0; j < p->size[1]; j++)
      *(int64_t *)(out + j * p->out_stride[1]) +=
          (uint8_t)map((uint8_t)in[j * p->in_stride[1]], number);
  }
}

ROW void sum_plane(const tocha_plane *given, mapping map, double number) {
  tocha_plane p = *given;
  if (p.out_stride[0] != 0 && p.out_stride[1] == 0) p = tocha_plane_transposed(given);
  if (p.out_stride[0] == 0 && p.in_stride[0] == 1) {
    for (int64_t j = 0; j < p.size[1]; j++)
      *(int64_t *)(p.out + j * p.out_stride[1]) +=
          sum_bytes((const uint8_t *)(p.in + j * p.in_stride[1]), p.size[0], map, number);
  } else if (p.out_stride[0] == 0 && p.in_stride[1] == 1) {
    for (int64_t j = 0; j < p.size[1]; j += PANEL)
      sum_panel(&p, j, p.size[1] - j < PANEL ? p.size[1] - j : PANEL, map, number);
  } else {
    sum_strided(&p, map, number);
  }
}

/* Adds up int64 states instead of bytes. */
ROW void sum_states(const tocha_plane *p) {
  for (int64_t i = 0; i < p->size[0]; i++)
    *(int64_t *)p->out += *(const int64_t *)(p->in + i * p->in_stride[0]);
}

#endif
