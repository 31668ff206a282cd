/* kernels.h: the arguments of the kernels of attention, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_ATTENTION_KERNELS_H
#define TOCHA_ATTENTION_KERNELS_H

#include "device/strided.h"
#include "random/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor (batch, heads, rows, width). Strides are in elements; that of the last dimension is 1. */
typedef struct tocha_heads {
  void *data;
  int64_t batch, head, row;
} tocha_heads;

/* A mask that is added to scores (batch, heads, queries, keys). Strides are in elements; 0 for a dimension that the mask
 * broadcasts over. */
typedef struct tocha_score_mask {
  const void *data; /* NULL: none */
  int64_t batch, head, row, column;
} tocha_score_mask;

/* out = softmax(scale * query @ key^T + mask) @ value, and logsumexp (batch, heads, queries), row-major, of the scores. Rows
 * that see no key have out and logsumexp 0. Backward: the gradients by query, key and value, row-major, from grad. Head h of
 * the queries uses head h / (heads / key_heads) of keys and values. causal: query i sees keys 0..i. All tensors have one dtype,
 * float32 or float64. */
typedef struct tocha_attention_args {
  tocha_heads query, key, value, out, grad, grad_query, grad_key, grad_value;
  tocha_score_mask mask;
  void *logsumexp;
  int64_t batch, heads, key_heads, queries, keys, width;
  double scale;
  bool causal;
  int8_t dtype;
  int8_t given; /* the 16-bit dtype of the operator's tensors; 0: they have dtype */
  /* Read on devices alone: the probability that a weight is dropped, and scratch memory for a float32 of each query
   * (backward). If it is not 0, forward draws random words from the generator and writes their seed and offset, two uint64, to
   * `drawn`, where backward reads them: they are known on the device only, if a CUDA graph is replayed. */
  int8_t mask_dtype;
  double dropout;
  tocha_generator *generator;
  void *drawn;
  void *means;
} tocha_attention_args;

/* A block of scores (matrices, rows, columns) of dtype, row-major, computed by a product. Matrix m belongs to head (first + m) % key_heads
 * of the keys, and to query head number `member` of the `group` of query heads that share that head. Row r belongs to query
 * query + r, column c to key c. No query of the block sees a key beyond the last column. logsumexp and means have a number for
 * each row, and their matrices are `apart` elements from each other. */
typedef struct tocha_score_block {
  void *scores, *logsumexp; /* logsumexp: written by block_weights */
  void *weights; /* the probabilities, laid out as scores, of dtype or of the 16-bit dtype `kept` */
  /* Backward: slopes (laid out as scores) holds the gradients of the probabilities. weight_slopes (laid out as weights)
   * receives the gradients of the scores, times scale. means: the mean gradient of each row's probabilities. */
  void *slopes, *weight_slopes;
  const void *means;
  tocha_score_mask mask;
  int64_t matrices, rows, columns, apart;
  int64_t first, member, query, group, key_heads;
  double scale;
  int64_t causal, dtype, kept;
} tocha_score_block;

typedef struct tocha_attention_kernels {
  /* Compute the whole of attention and of its gradients. NULL: they are composed of products and of the two functions below. */
  bool (*forward)(tocha_stream *stream, const tocha_attention_args *args);
  bool (*backward)(tocha_stream *stream, const tocha_attention_args *args);
  /* The same for 16-bit tensors as they are, all of one dtype, the mask of theirs, float32 or bool (false hides a key), with
   * dropout. Their rows begin at multiples of 16 bytes. Rows that see no key have logsumexp -inf. takes: reads no address but
   * compares mask.data with NULL. NULL: none of the three. */
  bool (*takes)(tocha_stream *stream, const tocha_attention_args *args);
  bool (*fused)(tocha_stream *stream, const tocha_attention_args *args);
  bool (*fused_backward)(tocha_stream *stream, const tocha_attention_args *args);
  bool (*block_weights)(tocha_stream *stream, const tocha_score_block *args);
  bool (*block_slopes)(tocha_stream *stream, const tocha_score_block *args);
} tocha_attention_kernels;

#ifdef __cplusplus
}
#endif
#endif
