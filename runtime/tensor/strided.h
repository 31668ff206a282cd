/* strided.h: tensors as the strided layouts that kernels receive (device/strided.h). */
#ifndef TOCHA_TENSOR_STRIDED_H
#define TOCHA_TENSOR_STRIDED_H

#include "device/devices.h"
#include "tensor/iterator.h"

/* The inner dimensions of an iteration over tensors as a layout, as many as a kernel takes. */
void tocha_strided_layout_of(const tocha_iterator *it, tocha_tensor *const *tensors,
                             tocha_strided_layout *layout);
/* Dimensions as the first tensor has them, the last one innermost and those of size 1 left out, for kernels
 * that order them by rules of their own; the others broadcast to it. false: a kernel takes fewer. */
bool tocha_plain_layout(tocha_strided_layout *layout, int count, tocha_tensor *const *tensors);
/* Starts a kernel for operands that are laid out; false: it did not start. */
typedef bool tocha_strided_launch(tocha_stream *stream, const tocha_strided_layout *layout,
                                  void *user);
/* Calls launch, on the device of the first tensor, for an iteration over sizes: once, or once for each
 * index of the outer dimensions where there are more than a kernel takes. Operands are as for
 * tocha_iterator_begin. */
bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors, tocha_strided_launch *launch, void *user);

/* An operand by its memory: strides in elements over the dimensions of the iteration. */
typedef struct tocha_strided_operand {
  void *data;
  const int64_t *strides;
  tocha_dtype dtype;
} tocha_strided_operand;
/* The same for operands of one shape, whose dimensions are collapsed but keep their order: the last one
 * is the innermost. For kernels that write some places several times. */
bool tocha_launch_in_order(tocha_context *cx, tocha_device device, int ndim, const int64_t *sizes,
                           int count, const tocha_strided_operand *operands,
                           tocha_strided_launch *launch, void *user);

#endif
