/* attention.h: functions that the files of attention share. */
#ifndef TOCHA_ATTENTION_H
#define TOCHA_ATTENTION_H

#include "core/internal.h"
#include "ops/attention/kernels.h"

struct tocha_backward_frame;

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

/* The ways to compute a call: whole matrices, blocks of scores (flash.c), one kernel (fused.c). */
typedef enum tocha_attention_way {
  TOCHA_ATTENTION_BY_NONE,
  TOCHA_ATTENTION_BY_MATRICES,
  TOCHA_ATTENTION_BY_BLOCKS,
  TOCHA_ATTENTION_BY_KERNEL
} tocha_attention_way;

/* The facts that the choice depends on. groups: heads of keys may be fewer. scale: or NULL. */
typedef struct tocha_attention_choice {
  const tocha_tensor *query, *key, *value, *mask;
  double dropout_p;
  bool groups;
  const double *scale;
} tocha_attention_choice;

/* Returns the way of a call, of tensors whose three dimensions have become four. Fails if no backend that may be used takes it. */
tocha_attention_way tocha_choose_attention(tocha_context *cx, const tocha_attention_choice *c);

/* Compute attention or its gradients on a device that has no kernel for the whole, from products of blocks of keys with all
 * queries of some heads at a time (blockwise.c). */
bool tocha_attention_by_blocks(const tocha_attention_call *c);
bool tocha_attention_back_by_blocks(const tocha_attention_call *c);

/* Returns t (N, H, L, E), whose rows are contiguous, as kernels read it. A NULL t gives one without data. */
tocha_heads tocha_heads_of(const tocha_tensor *t);
/* Creates a tensor (N, heads, L, E) with the sizes of `like` and its order in memory, so that the views which made `like` also give
 * what it came from: heads that lie side by side in a row are one row again. */
tocha_tensor *tocha_new_heads(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Fails unless all are (N, heads, L, E), the keys with a number and length of their own, and the mask broadcasts to the scores. */
bool tocha_check_heads(tocha_context *cx, const tocha_tensor *q, const tocha_tensor *k,
                       const tocha_tensor *v, const tocha_tensor *mask);
/* Fails unless the gradient and the results of the forward pass go with the query. dtype: of logsumexp. */
bool tocha_check_attention_gradient(tocha_context *cx, const tocha_tensor *grad_out,
                                    const tocha_tensor *query, const tocha_tensor *out,
                                    const tocha_tensor *logsumexp, tocha_dtype dtype);
/* Returns true if the device has a kernel for the whole of this call (fused.c), whose tensors have the sizes of tocha_check_heads. */
bool tocha_attention_fuses(tocha_context *cx, const tocha_tensor *q, const tocha_tensor *k,
                           const tocha_tensor *v, const tocha_tensor *mask, double dropout_p,
                           const double *scale);
/* Computes the gradients of attention from whole matrices, with operators that record, for gradients of gradients. */
bool tocha_compose_attention_gradient(struct tocha_backward_frame *f, tocha_tensor *q,
                                      tocha_tensor *k, tocha_tensor *v, tocha_tensor *mask,
                                      bool causal, const double *scale);
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
