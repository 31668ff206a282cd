/* onednn.h: products of half-precision matrices by oneDNN, which uses the processor's AVX512-BF16, AVX512-FP16 and AMX, and its
 * product of float32. The library is opened when first needed and never linked. Versions 2 and 3 of its API are supported.
 * TOCHA_ONEDNN in the environment names the library file, or says "off". */
#ifndef TOCHA_ONEDNN_H
#define TOCHA_ONEDNN_H

#include "core/internal.h"
#include "ops/matmul/cpu/openmp.h"
#include "ops/matmul/kernels.h"

/* Returns true if oneDNN computes a product of a 16-bit type. Returns false if the library is missing or this processor has no
 * instruction that multiplies the type. */
bool tocha_onednn_takes(tocha_context *cx, const tocha_gemm_args *args);
/* Computes a product of a 16-bit type, summed in float32. Returns false if oneDNN does not compute the product, with an error
 * only if memory ran out. */
bool tocha_onednn_gemm(tocha_context *cx, const tocha_gemm_args *args);

/* dnnl_sgemm of the C API: row-major, 'T' or 'N' for each operand. Returns 0 on success. */
typedef int tocha_onednn_sgemm(char transposed_a, char transposed_b, int64_t m, int64_t n,
                               int64_t k, float alpha, const float *a, int64_t lda, const float *b,
                               int64_t ldb, float beta, float *c, int64_t ldc);

/* Handles of the library for other files, opened when first needed. */
typedef struct tocha_onednn_handles {
  void *library, *engine, *stream;
  const tocha_openmp *openmp;
  tocha_onednn_sgemm *sgemm; /* NULL: this build of oneDNN has none */
  int major;                 /* major version: 2 or 3 */
} tocha_onednn_handles;
/* Fills `handles`. Returns false if the library is missing, with an error only if memory ran out. */
bool tocha_onednn_find(tocha_context *cx, tocha_onednn_handles *handles);

/* Writes the version, such as "2.6.3", to text. Returns text, or NULL if the library is missing. Opens the library. */
const char *tocha_onednn_version(tocha_context *cx, char *text, size_t capacity);

/* Frees what the context keeps of oneDNN (tocha_close). The library itself stays open. */
void tocha_onednn_close(tocha_context *cx);

#endif
