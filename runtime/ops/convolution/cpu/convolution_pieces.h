/* convolution_pieces.h: divides a convolution into pieces, each a convolution of its own, for several threads and so that interrupts are
 * answered in time. */
#ifndef TOCHA_CONVOLUTION_PIECES_H
#define TOCHA_CONVOLUTION_PIECES_H

#include "ops/convolution/kernels.h"

/* The operands, in the order of the tasks' arguments: image, weight, result, bias. */
enum { IMAGE, WEIGHT, RESULT, BIAS, OPERANDS };

/* A piece as a convolution of its own. The struct has no padding bytes, because it is compared as bytes. */
typedef struct tocha_convolution_shape {
  int64_t task, images, in_channels, out_channels, groups, space, bias;
  int64_t channels_last; /* true: oneDNN's kernel for that layout computes it (digits/order.h) */
  /* from one image to the next, and from one output channel's weights to the next */
  int64_t image_stride, weight_stride, result_stride;
  int64_t image_plane, result_plane; /* from one channel to the next */
  tocha_windows windows;
} tocha_convolution_shape;

typedef struct tocha_convolution_piece {
  tocha_convolution_shape shape;
  int64_t offset[OPERANDS]; /* in elements */
} tocha_convolution_piece;

/* The dimension that is divided. CHANNELS: channels of the output, or of the input for the gradient of the input. ROWS: the
 * first dimension of the output's space. */
typedef enum tocha_division {
  TOCHA_BY_IMAGES,
  TOCHA_BY_GROUPS,
  TOCHA_BY_CHANNELS,
  TOCHA_BY_ROWS
} tocha_division;

typedef struct tocha_convolution_pieces {
  const tocha_convolution_args *args;
  tocha_division by;
  int64_t each, count; /* the last may be smaller; all others but the first are alike */
} tocha_convolution_pieces;

tocha_convolution_pieces tocha_divide_convolution(const tocha_convolution_args *args,
                                                  int64_t threads);
tocha_convolution_piece tocha_convolution_piece_at(const tocha_convolution_pieces *p, int64_t i);

#endif
