/* onednn.h: products of half-precision matrices by oneDNN, which knows the processor's AVX512-BF16,
 * AVX512-FP16 and AMX; its product of float32. The library is opened when the first product comes that is worth it, and is
 * never linked; its API of version 2 and that of version 3 are both spoken. TOCHA_ONEDNN in the
 * environment names the library file, or says "off". */
#ifndef TOCHA_ONEDNN_H
#define TOCHA_ONEDNN_H

#include "core/internal.h"
#include "ops/matmul/cpu/openmp.h"
#include "ops/matmul/kernels.h"

/* Whether oneDNN does a product of a 16-bit type: not where the library is not there, or this processor has no
 * instruction that multiplies the type. */
bool tocha_onednn_takes(tocha_context *cx, const tocha_gemm_args *args);
/* Such a product, summed in float32. false where oneDNN does not do it; an error only where memory lacks. */
bool tocha_onednn_gemm(tocha_context *cx, const tocha_gemm_args *args);

/* C's dnnl_sgemm: row-major, 'T' or 'N' for each operand; 0 when done. */
typedef int tocha_onednn_sgemm(char transposed_a, char transposed_b, int64_t m, int64_t n,
                               int64_t k, float alpha, const float *a, int64_t lda, const float *b,
                               int64_t ldb, float beta, float *c, int64_t ldc);

/* The library as others use it, opened when first asked for. */
typedef struct tocha_onednn_handles {
  void *library, *engine, *stream;
  const tocha_openmp *openmp;
  tocha_onednn_sgemm *sgemm; /* NULL: this build of it has none */
  int major;                 /* of its version: 2 or 3 */
} tocha_onednn_handles;
/* false where the library is not there; an error only where memory lacks. */
bool tocha_onednn_find(tocha_context *cx, tocha_onednn_handles *handles);

/* "2.6.3" into text; returns text, or NULL where the library is not there. Opens the library. */
const char *tocha_onednn_version(tocha_context *cx, char *text, size_t room);

/* Releases what the context holds of it (tocha_close). The library itself stays open. */
void tocha_onednn_close(tocha_context *cx);

#endif
