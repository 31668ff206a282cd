/* share.h: tensors that pass from one context to another (tocha/share.h). */
#ifndef TOCHA_TENSOR_SHARE_H
#define TOCHA_TENSOR_SHARE_H

#include "core/internal.h"

/* Fails if the tensor cannot leave its context: it was freed, it is on a GPU, or autograd has
 * computed it. */
bool tocha_can_share(tocha_context *cx, const tocha_tensor *tensor);

#endif
