/* channels.h: the gradient of a convolution's bias in the order of oneDNN (channels.c). */
#ifndef TOCHA_CHANNELS_H
#define TOCHA_CHANNELS_H

#include "core/internal.h"
#include "ops/convolution/kernels.h"

/* Computes TOCHA_CONVOLVE_BACK_BIAS of float32. */
bool tocha_sum_channels(tocha_context *cx, const tocha_convolution_args *args);

#endif
