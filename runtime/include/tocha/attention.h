/* attention.h: the ways to compute scaled_dot_product_attention (torch.nn.attention), and switches for them. */
#ifndef TOCHA_ATTENTION_BACKENDS_H
#define TOCHA_ATTENTION_BACKENDS_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbered as PyTorch's SDPBackend. */
typedef enum tocha_attention_backend {
  TOCHA_ATTENTION_MATH, /* products of whole matrices */
  TOCHA_ATTENTION_FLASH, /* on the CPU: in blocks; on CUDA: one kernel for 16-bit types, without a mask */
  TOCHA_ATTENTION_EFFICIENT, /* on CUDA alone: the same with a mask, and in blocks for other types */
  TOCHA_ATTENTION_CUDNN      /* no device has it */
} tocha_attention_backend;

/* Sets which backends may be used, bit 1 << backend for each (at first all), and if whole matrices are tried before the
 * others on CUDA. Without one that can compute a call, scaled_dot_product_attention fails. Fails if memory is short. */
TOCHA_API void tocha_set_attention_backends(tocha_context *cx, uint32_t allowed,
                                            bool matrices_first);
TOCHA_API uint32_t tocha_attention_backends(const tocha_context *cx);

/* Returns true if FLASH, EFFICIENT or CUDNN may be used and computes this call on CUDA. attn_mask: or NULL. */
TOCHA_API bool tocha_can_use_attention(tocha_context *cx, tocha_attention_backend backend,
                                       tocha_tensor *query, tocha_tensor *key, tocha_tensor *value,
                                       tocha_tensor *attn_mask, double dropout_p, bool enable_gqa);

#ifdef __cplusplus
}
#endif
#endif
