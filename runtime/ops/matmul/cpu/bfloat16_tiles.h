/* bfloat16_tiles.h: the inner loops of bfloat16.c (bfloat16_tiles.c), for processors with AVX512-BF16.
 *
 * Both operands are packed in panels of pairs: two neighbours in K are adjacent, as the instruction vdpbf16ps expects. K is
 * filled with zeros to an even number. */
#ifndef TOCHA_BFLOAT16_TILES_H
#define TOCHA_BFLOAT16_TILES_H

#include "tensor/loops.h"

enum { TOCHA_BFLOAT16_ROWS = 12, TOCHA_BFLOAT16_COLUMNS = 32 };

typedef struct tocha_bfloat16_factors {
  float alpha, beta;
} tocha_bfloat16_factors;

typedef struct tocha_bfloat16_tiles_loops {
  /* Packs `lines` rows of a (or columns of b), at most `width`, into a panel of pairs (pairs, width, 2), zero-filled. Strides
   * in elements: `across` from line to line, `along` K. NULL: this build has no such instruction. */
  void (*pack)(const uint16_t *from, int64_t across, int64_t along, int64_t lines, int64_t k,
               int64_t width, uint16_t *panel);
  /* Computes out (rows, columns), row stride n, = alpha * the panel of a @ the panel of b + beta * out + bias. bias may be
   * NULL; with a bias, alpha is 1. With beta 0, out is not read. */
  void (*tile)(const uint16_t *a, const uint16_t *b, int64_t pairs, const uint16_t *bias,
               tocha_bfloat16_factors factors, uint16_t *out, int64_t n, int64_t rows,
               int64_t columns);
} tocha_bfloat16_tiles_loops;

extern const tocha_bfloat16_tiles_loops *const tocha_bfloat16_tiles_loops_table[TOCHA_ISA_COUNT];

#endif
