/* channels.h: sums of whole channels, for the gradients of biases (channels.c). */
#ifndef TOCHA_CHANNELS_H
#define TOCHA_CHANNELS_H

#include "ops/convolution/kernels.h"

bool tocha_cpu_sum_channels(tocha_stream *stream, const tocha_channel_sums *args);

#endif
