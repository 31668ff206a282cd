/* attention.h: what the files of attention share. */
#ifndef TOCHA_ATTENTION_H
#define TOCHA_ATTENTION_H

#include "core/internal.h"
#include "ops/attention/kernels.h"

/* The tensors of one call of the blocked kernels: query, key, value (N, H, L, E), out like query, logsumexp (N, H, L), in the dtype
 * that is computed in; backward also the gradients. */
typedef struct tocha_attention_call {
  tocha_context *cx;
  tocha_tensor *query, *key, *value, *mask, *out, *logsumexp;
  tocha_tensor *grad, *grad_query, *grad_key, *grad_value;
  double scale;
  bool causal;
  int given; /* the 16-bit dtype of the tensors that were given; 0: that which is computed in */
} tocha_attention_call;

/* steps.c: where the device has no kernel for the whole: products of blocks of keys with all queries of some heads at a time. */
bool tocha_attention_by_steps(const tocha_attention_call *c);
bool tocha_attention_back_by_steps(const tocha_attention_call *c);

/* mask, (L, S) or (N, H, L, S), as kernels read it; NULL: none. */
tocha_score_mask tocha_score_mask_of(const tocha_tensor *mask);
/* A number where one was given, else 1 / sqrt(E). */
double tocha_attention_scale(const tocha_tensor *query, const double *scale);
/* attn_mask as what is added to scores of this dtype: of a bool mask -inf where it is false. NULL for NULL, and on failure. */
tocha_tensor *tocha_added_mask(tocha_context *cx, tocha_tensor *mask, tocha_dtype dtype);
/* The keys or values of each query's head: (N, heads, S, E). */
tocha_tensor *tocha_for_each_head(tocha_context *cx, tocha_tensor *keys, int64_t heads);
/* attn_mask of the first L keys for each of L queries, so that query i sees keys 0..i; bool. */
tocha_tensor *tocha_causal_mask(tocha_context *cx, const tocha_tensor *query,
                                const tocha_tensor *key);

#endif
