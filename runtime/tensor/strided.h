/* strided.h: describes tensors by the strided layouts that kernels receive (device/strided.h). */
#ifndef TOCHA_TENSOR_STRIDED_H
#define TOCHA_TENSOR_STRIDED_H

#include "device/devices.h"
#include "tensor/iterator.h"

/* Describes the inner dimensions of an iteration over tensors, as many as a layout has. */
void tocha_strided_layout_of(const tocha_iterator *it, tocha_tensor *const *tensors,
                             tocha_strided_layout *layout);
/* Keeps the dimensions of the first tensor, the last one innermost and those of size 1 left out,
 * for kernels that order dimensions by rules of their own. The other tensors broadcast to the
 * first. Returns false if a layout has fewer dimensions. */
bool tocha_plain_layout(tocha_strided_layout *layout, int count, tocha_tensor *const *tensors);
/* Starts a kernel for operands that are laid out. Returns false if it did not start. */
typedef bool tocha_strided_launch(tocha_stream *stream, const tocha_strided_layout *layout,
                                  void *user);
/* Calls `launch`, on the device of the first tensor, for an iteration over `sizes`: once, or
 * once for each index of the outer dimensions if a layout has fewer. Operands are as for
 * tocha_iterator_begin. */
bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors, tocha_strided_launch *launch, void *user);

/* An operand given by its memory; strides in elements, over the dimensions of the iteration. */
typedef struct tocha_strided_operand {
  void *data;
  const int64_t *strides;
  tocha_dtype dtype;
} tocha_strided_operand;
/* Does the same for operands of one shape, whose dimensions are collapsed but keep their order,
 * the last one innermost. For kernels that write some places several times. */
bool tocha_launch_in_order(tocha_context *cx, tocha_device device, int ndim, const int64_t *sizes,
                           int count, const tocha_strided_operand *operands,
                           tocha_strided_launch *launch, void *user);

#endif
