/* onednn.h: convolutions by oneDNN (onednn.c). The library is the one that products of half-precision matrices use: opened at
 * the first that is worth it, never linked. */
#ifndef TOCHA_CONVOLUTION_ONEDNN_H
#define TOCHA_CONVOLUTION_ONEDNN_H

#include "core/internal.h"
#include "ops/convolution/kernels.h"

/* takes and convolve of tocha_convolution_kernels, for the tasks but TOCHA_CONVOLVE_BACK_BIAS of float32. */
bool tocha_onednn_takes_convolution(tocha_stream *stream, const tocha_convolution_args *args);
bool tocha_onednn_convolve(tocha_stream *stream, const tocha_convolution_args *args);

/* Releases what the context holds of it (tocha_close). */
void tocha_onednn_convolutions_close(tocha_context *cx);

#endif
