/* strided.h: tensors as the strided layouts that kernels receive (device/strided.h). */
#ifndef TOCHA_TENSOR_STRIDED_H
#define TOCHA_TENSOR_STRIDED_H

#include "device/devices.h"
#include "tensor/iterator.h"

/* The inner dimensions of an iteration over tensors as a layout, as many as a kernel takes. */
void tocha_strided_layout_of(const tocha_iterator *it, tocha_tensor *const *tensors,
                             tocha_strided_layout *layout);
/* Starts `launch` for a walk over sizes: once, or once for each step of the outer dimensions where
 * the walk has more than a kernel takes. Operands are as for tocha_iterator_begin. */
bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors,
                          bool (*launch)(tocha_stream *stream, const tocha_strided_layout *layout,
                                         void *user),
                          void *user);

#endif
