/* onednn.h: products of half-precision matrices by oneDNN, which knows the processor's AVX512-BF16,
 * AVX512-FP16 and AMX. The library is opened when the first product comes that is worth it, and is
 * never linked; its API of version 2 and that of version 3 are both spoken. TOCHA_ONEDNN in the
 * environment names the library file, or says "off". */
#ifndef TOCHA_ONEDNN_H
#define TOCHA_ONEDNN_H

#include "ops/matmul/gemm_half.h"

/* Computes p with float32 accumulation. false, without an error, where oneDNN cannot: it is not
 * there, or this processor has no instruction that multiplies p's type. */
bool tocha_onednn_product(tocha_context *cx, const tocha_half_product *p);

/* "2.6.3" into text; returns text, or NULL where the library is not there. Opens the library. */
const char *tocha_onednn_version(tocha_context *cx, char *text, size_t room);

/* Releases what the context holds of it (tocha_close). The library itself stays open: its OpenMP
 * threads outlive any call. */
void tocha_onednn_close(tocha_context *cx);

#endif
