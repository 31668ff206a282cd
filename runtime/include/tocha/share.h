/* share.h: tensors that pass from one context to another, and so from one thread to another, without a copy. */
#ifndef TOCHA_SHARE_H
#define TOCHA_SHARE_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of a tensor and how it is looked at. It belongs to no context; any thread may keep it and free it. */
typedef struct tocha_shared tocha_shared;

/* From here on the memory of the tensor's storage belongs to all contexts that have it, and goes with the last of them by the
 * C library's free(). Memory that the host gave with a deleter, or through its hook, is copied: its end may ask for a
 * certain thread. What is written in one context is seen in the others, without a lock. NULL with an error: on a GPU, for a
 * tensor that autograd has computed, or one that was freed. */
TOCHA_API tocha_shared *tocha_share(tocha_context *cx, tocha_tensor *tensor);
/* A tensor of cx over that memory; a leaf that requires no gradient. */
TOCHA_API tocha_tensor *tocha_from_shared(tocha_context *cx, const tocha_shared *shared);
TOCHA_API void tocha_shared_free(tocha_shared *shared);

#ifdef __cplusplus
}
#endif
#endif
