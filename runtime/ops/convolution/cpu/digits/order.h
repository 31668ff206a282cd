/* order.h: chooses the code that computes a convolution on the CPU, and with it the order of its sums (order.c). */
#ifndef TOCHA_CONVOLUTION_ORDER_H
#define TOCHA_CONVOLUTION_ORDER_H

#include "core/internal.h"
#include "ops/convolution/cpu/convolution_pieces.h"

typedef enum tocha_convolution_way {
  TOCHA_CONVOLUTION_BY_OPERATORS, /* columns and products, or the operator sum */
  TOCHA_CONVOLUTION_BY_ONEDNN,
  TOCHA_CONVOLUTION_BY_STRIDES, /* strided.h */
  TOCHA_CONVOLUTION_BY_CHANNELS /* channels.h */
} tocha_convolution_way;

/* Returns the way for the task, which depends only on the context's digits and on the sizes. oneDNN may still turn out to be
 * missing. */
tocha_convolution_way tocha_choose_convolution(const tocha_context *cx,
                                               const tocha_convolution_args *args);

/* Returns true if oneDNN computes this piece by its kernel for inference, whose layout is channels last. That kernel takes 0.7
 * to 1.0 of the time if channels fill no vectors, else 1.0 to 3 times as long. */
bool tocha_convolves_channels_last(const tocha_context *cx, const tocha_convolution_shape *piece);

#endif
