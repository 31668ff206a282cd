/* attention.h: functions that the files of attention share. */
#ifndef TOCHA_ATTENTION_H
#define TOCHA_ATTENTION_H

#include "core/internal.h"
#include "ops/attention/kernels.h"

/* The tensors of one call of the blocked kernels: query, key, value (N, H, L, E), out like query, logsumexp (N, H, L), all in
 * the dtype that is computed in; for the backward pass also the gradients. */
typedef struct tocha_attention_call {
  tocha_context *cx;
  tocha_tensor *query, *key, *value, *mask, *out, *logsumexp;
  tocha_tensor *grad, *grad_query, *grad_key, *grad_value;
  double scale;
  bool causal;
  int given; /* the 16-bit dtype of the operator's tensors; 0: the computing dtype */
} tocha_attention_call;

/* Compute attention or its gradients on a device that has no kernel for the whole, from products of blocks of keys with all
 * queries of some heads at a time (blockwise.c). */
bool tocha_attention_by_blocks(const tocha_attention_call *c);
bool tocha_attention_back_by_blocks(const tocha_attention_call *c);

/* Returns mask, (L, S) or (N, H, L, S), as kernels read it. A NULL mask gives one without data. */
tocha_score_mask tocha_score_mask_of(const tocha_tensor *mask);
/* Returns the given scale, or 1 / sqrt(E) if `scale` is NULL. */
double tocha_attention_scale(const tocha_tensor *query, const double *scale);
/* Returns attn_mask as numbers of this dtype that are added to scores; a bool mask gives -inf where it is false. Returns NULL
 * for NULL, and on failure. */
tocha_tensor *tocha_added_mask(tocha_context *cx, tocha_tensor *mask, tocha_dtype dtype);
/* Returns the keys or values of each query's head: (N, heads, S, E). */
tocha_tensor *tocha_for_each_head(tocha_context *cx, tocha_tensor *keys, int64_t heads);
/* Returns the bool mask (L, S) for is_causal: query i sees keys 0..i. */
tocha_tensor *tocha_causal_mask(tocha_context *cx, const tocha_tensor *query,
                                const tocha_tensor *key);

#endif
