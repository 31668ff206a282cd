/* share.h: passes tensors from one context to another, and so from one thread to another,
 * without a copy. */
#ifndef TOCHA_SHARE_H
#define TOCHA_SHARE_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of a tensor with its sizes, strides and dtype. Belongs to no context; any thread
 * may keep it and free it. */
typedef struct tocha_shared tocha_shared;

/* Shares the memory of the tensor's storage: from now on it belongs to all contexts that share
 * it, and the last of them frees it by the C library's free(). Memory that the host gave with a
 * deleter, or through its hook, is copied, because its release may require a certain thread.
 * Writes in one context are seen in the others, without a lock. Fails for a tensor on a GPU, one
 * that autograd has computed, and one that was freed. */
TOCHA_API tocha_shared *tocha_share(tocha_context *cx, tocha_tensor *tensor);
/* Returns a tensor of `cx` over that memory: a leaf that requires no gradient. */
TOCHA_API tocha_tensor *tocha_from_shared(tocha_context *cx, const tocha_shared *shared);
TOCHA_API void tocha_shared_free(tocha_shared *shared);

#ifdef __cplusplus
}
#endif
#endif
