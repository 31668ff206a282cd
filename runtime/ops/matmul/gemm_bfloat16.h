/* gemm_bfloat16.h: the kernel of gemm_bfloat16.c, for processors with AVX512-BF16.
 *
 * Both operands are packed in panels of pairs: two neighbours in K lie side by side, as the
 * instruction vdpbf16ps takes them; K is filled with zero to an even number. */
#ifndef TOCHA_GEMM_BFLOAT16_H
#define TOCHA_GEMM_BFLOAT16_H

#include <stdint.h>

#if defined(TOCHA_AVX512_KERNELS) && (defined(__clang__) || __GNUC__ >= 10)
#define TOCHA_HAVE_BFLOAT16_KERNEL
#endif

enum { TOCHA_BFLOAT16_ROWS = 12, TOCHA_BFLOAT16_COLUMNS = 32 };

/* `lines` rows of a (or columns of b), at most `width`, into a panel of pairs (pairs, width, 2),
 * zero-filled. Strides in elements: `across` from line to line, `along` K. */
void tocha_bfloat16_pack(const uint16_t *from, int64_t across, int64_t along, int64_t lines,
                         int64_t k, int64_t width, uint16_t *panel);

/* out (rows, columns), row stride n, = the panel of a @ the panel of b + bias. bias may be NULL. */
void tocha_bfloat16_tile(const uint16_t *a, const uint16_t *b, int64_t pairs, const uint16_t *bias,
                         uint16_t *out, int64_t n, int64_t rows, int64_t columns);

#endif
