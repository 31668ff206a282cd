/* share.h: passes tensors and modules from one context to another, and so from one thread to
 * another, without a copy. */
#ifndef TOCHA_SHARE_H
#define TOCHA_SHARE_H

#include "tocha/nn.h"

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

/* A tree of modules whose parameters and buffers are shared. Belongs to no context; any number of
 * threads may use it at once, and any thread may free it. */
typedef struct tocha_shared_module tocha_shared_module;

/* Shares a tree of modules: one model in many contexts.
 *
 *   tocha_shared_module *shared = tocha_module_share(cx, model);         the thread of cx
 *   tocha_module *copy = tocha_module_from_shared(other, shared);        the thread of `other`
 *   tocha_shared_module_free(shared);                                    any thread
 *
 * The memory of parameters and buffers is that of the original, as with tocha_share (memory that
 * the host gave with a deleter is copied). From then on it should only be read, by all: a step of
 * an optimizer, an in-place operator, load_state_dict and a BatchNorm in training mode write to it
 * without a lock. tocha_module_to and an assignment to .data give one context memory of its own.
 * Everything else is as it was at the call, and each context's own afterwards: the structure,
 * options, training flags, and if a parameter requires a gradient. Gradients are not passed.
 * Tensors and modules that occur twice do so in each copy.
 *
 * Fails if a tensor is on a GPU or was computed by autograd, and if a module's forward, its hooks
 * or a tensor of it are functions of another language, such as Lua, because these belong to one
 * state. The error names the member. Other functions of that language (extra_repr) are left out. */
TOCHA_API tocha_shared_module *tocha_module_share(tocha_context *cx, tocha_module *module);
/* Returns a module of `cx` over that memory. The caller owns it. */
TOCHA_API tocha_module *tocha_module_from_shared(tocha_context *cx,
                                                 const tocha_shared_module *shared);
TOCHA_API void tocha_shared_module_free(tocha_shared_module *shared);

#ifdef __cplusplus
}
#endif
#endif
