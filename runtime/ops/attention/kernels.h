/* kernels.h: the kernels of attention: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_ATTENTION_KERNELS_H
#define TOCHA_ATTENTION_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor (batch, heads, rows, width): strides in elements, that of the last dimension is 1. */
typedef struct tocha_heads {
  void *data;
  int64_t batch, head, row;
} tocha_heads;

/* A mask that is added to scores (batch, heads, queries, keys): strides in elements, 0 where it is the same for all. */
typedef struct tocha_score_mask {
  const void *data; /* NULL: none */
  int64_t batch, head, row, column;
} tocha_score_mask;

/* out = softmax(scale * query @ key^T + mask) @ value, and logsumexp (batch, heads, queries), row-major, of the scores; of rows
 * that see nothing out and logsumexp are 0. Or the gradients by query, key and value, these row-major, of what grad brings.
 * Head h of the queries goes with head h / (heads / key_heads) of keys and values. causal: query i sees keys 0..i. All of one
 * dtype, float32 or float64. */
typedef struct tocha_attention_args {
  tocha_heads query, key, value, out, grad, grad_query, grad_key, grad_value;
  tocha_score_mask mask;
  void *logsumexp;
  int64_t batch, heads, key_heads, queries, keys, width;
  double scale;
  bool causal;
  int8_t dtype;
  int8_t given; /* the 16-bit dtype of the operator's tensors; 0: dtype is theirs */
} tocha_attention_args;

/* A block of scores (matrices, rows, columns), row-major, as a product has made it: matrix m belongs to head (first + m) %
 * key_heads of the keys, row r is of query r % queries of head r / queries in the group, column c is of key key + c.
 * logsumexp: (matrices, rows), of the columns before (-inf: none). */
typedef struct tocha_score_block {
  void *scores, *logsumexp;
  /* forward: scores become probabilities, given all columns so far; out (matrices, rows, width), the weighted mean of the values
   * before, is scaled by what these count for now. */
  void *out;
  /* backward: scores become probabilities; slopes (as scores), what arrives at these, becomes what arrives at scores, times scale;
   * means (matrices, rows): what arrives at the probabilities of a row on average. */
  void *slopes;
  const void *means;
  tocha_score_mask mask;
  int64_t matrices, rows, columns, width;
  int64_t first, key, queries, key_heads;
  double scale;
  int64_t causal, dtype;
} tocha_score_block;

typedef struct tocha_attention_kernels {
  /* The whole of it; NULL: it is made of products, and of the two below. */
  bool (*forward)(tocha_stream *stream, const tocha_attention_args *args);
  bool (*backward)(tocha_stream *stream, const tocha_attention_args *args);
  bool (*add_block)(tocha_stream *stream, const tocha_score_block *args);
  bool (*block_slopes)(tocha_stream *stream, const tocha_score_block *args);
} tocha_attention_kernels;

#ifdef __cplusplus
}
#endif
#endif
