/* blockwise.c: attention on devices that have no kernel for the whole. For some heads at a time, all their queries are multiplied
 * with a block of keys, by products and the kernels between them. The queries of the heads that share a head of keys are the
 * rows of one matrix. */
#include <math.h>

#include "device/devices.h"
#include "ops/attention/attention.h"
#include "ops/matmul/gemm.h"
#include "tensor/copy.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/sum.h"

/* MAX_KEYS: maximum keys of a block. SCORES: scores at a time, or those of one matrix if these are more. */
enum { MAX_KEYS = 512, SCORES = 1 << 24 };

typedef struct steps {
  const tocha_attention_call *c;
  tocha_context *cx;
  tocha_stream *stream;
  tocha_tensor *query, *key, *value, *grad, *out, *logsumexp; /* row-major */
  tocha_tensor *scores, *slopes, *means;
  tocha_tensor *block;                 /* (count, columns, width): part of a gradient of keys */
  int64_t matrices, rows, keys, width; /* matrices: heads of keys in all; rows: queries of one */
  int64_t first, count, at, columns;   /* the current matrices, and the current keys */
} steps;

static char *bytes_at(const tocha_tensor *t, int64_t element) {
  return tocha_bytes(t) + element * (int64_t)tocha_dtype_size((tocha_dtype)t->dtype);
}
static char *queries_of(const steps *s, const tocha_tensor *t) {
  return bytes_at(t, s->first * s->rows * s->width);
}
static char *keys_of(const steps *s, const tocha_tensor *t) {
  return bytes_at(t, (s->first * s->keys + s->at) * s->width);
}

static bool multiply(const steps *s, tocha_gemm_args g, double alpha, bool add) {
  g.batch = s->count;
  g.dtype = (int8_t)s->query->dtype;
  g.alpha = tocha_float(alpha);
  g.beta = tocha_int(add);
  tocha_set_gemm_precision(s->cx, &g);
  return tocha_launched(s->cx, s->stream->kernels->matmul->gemm(s->stream, &g));
}

/* Computes scores (count, rows, columns) = alpha * queries @ keys^T, for the current matrices and keys. */
static bool against_keys(const steps *s, const tocha_tensor *queries, const tocha_tensor *keys,
                         tocha_tensor *scores, double alpha) {
  tocha_gemm_args g = {.a = queries_of(s, queries),
                       .b = keys_of(s, keys),
                       .out = tocha_bytes(scores),
                       .m = s->rows,
                       .n = s->columns,
                       .k = s->width,
                       .a_batch_stride = s->rows * s->width,
                       .b_batch_stride = s->keys * s->width,
                       .lda = s->width,
                       .ldb = s->width,
                       .b_transposed = true};
  return multiply(s, g, alpha, false);
}

/* Computes out (count, rows, width) += weights (count, rows, columns) @ keys. */
static bool add_weighted_keys(const steps *s, const tocha_tensor *weights, const tocha_tensor *keys,
                              tocha_tensor *out) {
  tocha_gemm_args g = {.a = tocha_bytes(weights),
                       .b = keys_of(s, keys),
                       .out = queries_of(s, out),
                       .m = s->rows,
                       .n = s->width,
                       .k = s->columns,
                       .a_batch_stride = s->rows * s->columns,
                       .b_batch_stride = s->keys * s->width,
                       .lda = s->columns,
                       .ldb = s->width};
  return multiply(s, g, 1, true);
}

/* Computes the current rows of the gradient of keys or values, (count, columns, width) = weights^T @ queries. */
static bool weighted_queries(const steps *s, const tocha_tensor *weights,
                             const tocha_tensor *queries, tocha_tensor *grad) {
  int64_t sizes[3] = {s->count, s->columns, s->width};
  int64_t apart[3] = {s->keys * s->width, s->width, 1}, dense[3];
  tocha_gemm_args g = {.a = tocha_bytes(weights),
                       .b = queries_of(s, queries),
                       .out = tocha_bytes(s->block),
                       .m = s->columns,
                       .n = s->width,
                       .k = s->rows,
                       .a_batch_stride = s->rows * s->columns,
                       .b_batch_stride = s->rows * s->width,
                       .lda = s->columns,
                       .ldb = s->width,
                       .a_transposed = true};
  if (!multiply(s, g, 1, false)) return false;
  tocha_row_major_strides(3, sizes, dense);
  int64_t offset = grad->offset + (s->first * s->keys + s->at) * s->width;
  tocha_tensor *target = tocha_alias(s->cx, grad, 3, sizes, apart, offset);
  tocha_tensor *source = tocha_alias(s->cx, s->block, 3, sizes, dense, s->block->offset);
  return target && source && tocha_copy_data(s->cx, target, source);
}

static tocha_score_block block_of(const steps *s) {
  const tocha_attention_call *c = s->c;
  tocha_score_block b = {.scores = tocha_bytes(s->scores),
                         .logsumexp = bytes_at(s->logsumexp, s->first * s->rows),
                         .mask = tocha_score_mask_of(c->mask),
                         .matrices = s->count,
                         .rows = s->rows,
                         .columns = s->columns,
                         .width = s->width,
                         .first = s->first,
                         .key = s->at,
                         .queries = c->query->sizes[2],
                         .key_heads = c->key->sizes[1],
                         .scale = c->scale,
                         .causal = c->causal,
                         .dtype = s->query->dtype};
  if (s->grad) {
    b.slopes = tocha_bytes(s->slopes);
    b.means = bytes_at(s->means, s->first * s->rows);
  } else {
    b.out = queries_of(s, s->out);
  }
  return b;
}

/* --- the two ways ---------------------------------------------------------------------------------------- */

static bool step(const steps *s) {
  if (!against_keys(s, s->query, s->key, s->scores, s->c->scale)) return false;
  tocha_score_block b = block_of(s);
  return tocha_launched(s->cx, s->stream->kernels->attention->add_block(s->stream, &b)) &&
         add_weighted_keys(s, s->scores, s->value, s->out);
}

static bool step_back(const steps *s) {
  if (!against_keys(s, s->query, s->key, s->scores, s->c->scale) ||
      !against_keys(s, s->grad, s->value, s->slopes, 1))
    return false;
  tocha_score_block b = block_of(s);
  return tocha_launched(s->cx, s->stream->kernels->attention->block_slopes(s->stream, &b)) &&
         weighted_queries(s, s->scores, s->grad, s->c->grad_value) &&
         weighted_queries(s, s->slopes, s->query, s->c->grad_key) &&
         add_weighted_keys(s, s->slopes, s->key, s->c->grad_query);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static bool run_steps(steps *s, bool (*each)(const steps *s)) {
  int64_t columns = smaller(s->keys, MAX_KEYS), most = SCORES / (s->rows * columns);
  most = smaller(most < 1 ? 1 : most, s->matrices);
  tocha_dtype dtype = (tocha_dtype)s->query->dtype;
  int64_t scores = most * s->rows * columns, block = most * columns * s->width;
  s->scores = tocha_new(s->cx, 1, &scores, dtype, s->query->device);
  if (s->grad) {
    s->slopes = tocha_new(s->cx, 1, &scores, dtype, s->query->device);
    s->block = tocha_new(s->cx, 1, &block, dtype, s->query->device);
  }
  if (tocha_failed(s->cx)) return false;
  for (s->first = 0; s->first < s->matrices; s->first += s->count) {
    s->count = smaller(s->matrices - s->first, most);
    for (s->at = 0; s->at < s->keys; s->at += s->columns) {
      s->columns = smaller(s->keys - s->at, columns);
      if (!each(s)) return false;
    }
  }
  return true;
}

static steps steps_of(const tocha_attention_call *c) {
  tocha_context *cx = c->cx;
  tocha_dtype dtype = (tocha_dtype)c->query->dtype;
  int64_t heads = c->key->sizes[1];
  return (steps){.c = c,
                 .cx = cx,
                 .stream = tocha_stream_of(cx, c->query->device),
                 .query = tocha_as_rows(cx, c->query, dtype),
                 .key = tocha_as_rows(cx, c->key, dtype),
                 .value = tocha_as_rows(cx, c->value, dtype),
                 .logsumexp = c->logsumexp,
                 .matrices = c->query->sizes[0] * heads,
                 .rows = c->query->sizes[1] / heads * c->query->sizes[2],
                 .keys = c->key->sizes[2],
                 .width = c->query->sizes[3]};
}

bool tocha_attention_by_blocks(const tocha_attention_call *c) {
  steps s = steps_of(c);
  s.out = tocha_new_like(c->cx, s.query, (tocha_dtype)c->out->dtype);
  return !tocha_failed(c->cx) && tocha_fill_data(c->cx, s.out, tocha_int(0)) &&
         tocha_fill_data(c->cx, s.logsumexp, tocha_float(-INFINITY)) && run_steps(&s, step) &&
         tocha_copy_data(c->cx, c->out, s.out);
}

bool tocha_attention_back_by_blocks(const tocha_attention_call *c) {
  int64_t last = -1;
  steps s = steps_of(c);
  s.grad = tocha_as_rows(c->cx, c->grad, (tocha_dtype)c->query->dtype);
  if (!s.grad) return false;
  s.means = tocha_sum_dim_IntList(c->cx, tocha_mul(c->cx, c->grad, c->out), 1, &last, false);
  if (!s.means) return false;
  s.means = tocha_as_rows(c->cx, s.means, (tocha_dtype)s.means->dtype);
  return !tocha_failed(c->cx) && tocha_fill_data(c->cx, c->grad_query, tocha_int(0)) &&
         run_steps(&s, step_back);
}
