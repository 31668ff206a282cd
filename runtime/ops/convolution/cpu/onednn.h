/* onednn.h: convolutions by oneDNN (onednn.c). The library is the one that products of half-precision matrices use: it is
 * opened when first needed and never linked. */
#ifndef TOCHA_CONVOLUTION_ONEDNN_H
#define TOCHA_CONVOLUTION_ONEDNN_H

#include "core/internal.h"
#include "ops/convolution/kernels.h"

/* Implement `takes` and `convolve` of tocha_convolution_kernels, for all tasks of float32 but TOCHA_CONVOLVE_BACK_BIAS. */
bool tocha_onednn_takes_convolution(tocha_stream *stream, const tocha_convolution_args *args);
bool tocha_onednn_convolve(tocha_stream *stream, const tocha_convolution_args *args);

/* Frees the primitives that the context keeps (tocha_close). */
void tocha_onednn_convolutions_close(tocha_context *cx);

#endif
