/* blockwise.c: attention on devices that have no kernel for the whole. A block of queries of some heads is multiplied with all the keys
 * that it sees, by products and the kernel between them. 16-bit types are multiplied without conversion; their scores are
 * float32. */
#include <string.h>

#include "device/devices.h"
#include "ops/attention/attention.h"
#include "ops/matmul/gemm.h"
#include "tensor/copy.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/sum.h"

/* MAX_QUERIES: queries of a block. SCORES: scores in memory at a time, or those of one block if these are more. */
enum { MAX_QUERIES = 256, SCORES = 1 << 24 };

typedef struct plan {
  const tocha_attention_call *c;
  tocha_context *cx;
  tocha_stream *stream;
  tocha_tensor *query, *key, *value, *grad, *out, *logsumexp; /* row-major */
  tocha_tensor *scores, *slopes, *means; /* scores, slopes: of the compute dtype */
  /* The scores and slopes as factors of products, in the queries' dtype. They share the memory of scores and slopes if the dtypes are
   * equal. */
  tocha_tensor *weights, *weight_slopes;
  int64_t group, queries, keys, width; /* group: heads of queries that share a head of keys */
  int64_t matrices, first,
      count; /* matrices: heads of keys in all; first, count: the current ones */
  /* member: the current head of each group. at, rows: its current queries. seen: the keys that these see. */
  int64_t member, at, rows, seen;
} plan;

static char *bytes_at(const tocha_tensor *t, int64_t element) {
  return tocha_bytes(t) + element * (int64_t)tocha_dtype_size((tocha_dtype)t->dtype);
}
/* Returns the first of the current rows. */
static int64_t row_of(const plan *s) {
  return (s->first * s->group + s->member) * s->queries + s->at;
}
static char *queries_of(const plan *s, const tocha_tensor *t) {
  return bytes_at(t, row_of(s) * s->width);
}
static char *keys_of(const plan *s, const tocha_tensor *t) {
  return bytes_at(t, s->first * s->keys * s->width);
}
static int64_t query_stride(const plan *s) { return s->group * s->queries * s->width; }
static int64_t key_stride(const plan *s) { return s->keys * s->width; }

/* Launches the product g for the current heads. out: the tensor that contains g.out. */
static bool multiply(const plan *s, tocha_gemm_args g, const tocha_tensor *out, double alpha,
                     bool add) {
  g.batch = s->count;
  g.dtype = (int8_t)s->query->dtype;
  g.wide = out->dtype != s->query->dtype;
  g.alpha = tocha_float(alpha);
  g.beta = tocha_int(add);
  tocha_set_gemm_precision(s->cx, &g);
  return tocha_launched(s->cx, s->stream->kernels->matmul->gemm(s->stream, &g));
}

/* Computes scores (count, rows, seen) = alpha * queries @ keys^T. */
static bool against_keys(const plan *s, const tocha_tensor *queries, const tocha_tensor *keys,
                         tocha_tensor *scores, double alpha) {
  tocha_gemm_args g = {.a = queries_of(s, queries),
                       .b = keys_of(s, keys),
                       .out = tocha_bytes(scores),
                       .m = s->rows,
                       .n = s->seen,
                       .k = s->width,
                       .a_batch_stride = query_stride(s),
                       .b_batch_stride = key_stride(s),
                       .lda = s->width,
                       .ldb = s->width,
                       .b_transposed = true};
  return multiply(s, g, scores, alpha, false);
}

/* Computes the current rows of out = weights @ keys. */
static bool weighted_keys(const plan *s, const tocha_tensor *weights, const tocha_tensor *keys,
                          tocha_tensor *out) {
  tocha_gemm_args g = {.a = tocha_bytes(weights),
                       .b = keys_of(s, keys),
                       .out = queries_of(s, out),
                       .m = s->rows,
                       .n = s->width,
                       .k = s->seen,
                       .a_batch_stride = s->rows * s->seen,
                       .b_batch_stride = key_stride(s),
                       .out_batch_stride = query_stride(s),
                       .lda = s->seen,
                       .ldb = s->width};
  return multiply(s, g, out, 1, false);
}

/* Adds weights^T @ queries to the gradient of keys or values. */
static bool add_weighted_queries(const plan *s, const tocha_tensor *weights,
                                 const tocha_tensor *queries, tocha_tensor *grad) {
  tocha_gemm_args g = {.a = tocha_bytes(weights),
                       .b = queries_of(s, queries),
                       .out = keys_of(s, grad),
                       .m = s->seen,
                       .n = s->width,
                       .k = s->rows,
                       .a_batch_stride = s->rows * s->seen,
                       .b_batch_stride = query_stride(s),
                       .out_batch_stride = key_stride(s),
                       .lda = s->seen,
                       .ldb = s->width,
                       .a_transposed = true};
  return multiply(s, g, grad, 1, true);
}

static tocha_score_block block_of(const plan *s) {
  const tocha_attention_call *c = s->c;
  tocha_score_block b = {.scores = tocha_bytes(s->scores),
                         .weights = tocha_bytes(s->weights),
                         .logsumexp = bytes_at(s->logsumexp, row_of(s)),
                         .mask = tocha_score_mask_of(c->mask),
                         .matrices = s->count,
                         .rows = s->rows,
                         .columns = s->seen,
                         .apart = s->group * s->queries,
                         .first = s->first,
                         .member = s->member,
                         .query = s->at,
                         .group = s->group,
                         .key_heads = c->key->sizes[1],
                         .scale = c->scale,
                         .causal = c->causal,
                         .dtype = s->scores->dtype,
                         .kept = s->query->dtype};
  if (!s->grad) return b;
  b.slopes = tocha_bytes(s->slopes);
  b.weight_slopes = tocha_bytes(s->weight_slopes);
  b.means = bytes_at(s->means, row_of(s));
  return b;
}

/* --- the two ways ---------------------------------------------------------------------------------------- */

static bool step(const plan *s) {
  if (!against_keys(s, s->query, s->key, s->scores, s->c->scale)) return false;
  tocha_score_block b = block_of(s);
  return tocha_launched(s->cx, s->stream->kernels->attention->block_weights(s->stream, &b)) &&
         weighted_keys(s, s->weights, s->value, s->out);
}

static bool step_back(const plan *s) {
  if (!against_keys(s, s->query, s->key, s->scores, s->c->scale) ||
      !against_keys(s, s->grad, s->value, s->slopes, 1))
    return false;
  tocha_score_block b = block_of(s);
  return tocha_launched(s->cx, s->stream->kernels->attention->block_slopes(s->stream, &b)) &&
         add_weighted_queries(s, s->weights, s->grad, s->c->grad_value) &&
         add_weighted_queries(s, s->weight_slopes, s->query, s->c->grad_key) &&
         weighted_keys(s, s->weight_slopes, s->key, s->c->grad_query);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Allocates n scores, and n numbers of the queries' dtype, *kept, which is the tensor of scores itself if the dtypes are equal. */
static bool new_scores(const plan *s, int64_t n, tocha_tensor **scores, tocha_tensor **kept) {
  tocha_dtype dtype = s->query->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  *scores = tocha_new(s->cx, 1, &n, dtype, s->query->device);
  *kept = *scores;
  if (dtype != (tocha_dtype)s->query->dtype)
    *kept = tocha_new(s->cx, 1, &n, (tocha_dtype)s->query->dtype, s->query->device);
  return *scores && *kept;
}

/* Runs all blocks of queries of one head of each current group. */
static bool run_member(plan *s, int64_t rows, bool (*each)(const plan *s)) {
  for (s->at = 0; s->at < s->queries; s->at += rows) {
    s->rows = smaller(s->queries - s->at, rows);
    s->seen = s->c->causal ? smaller(s->keys, s->at + s->rows) : s->keys;
    if (!each(s)) return false;
  }
  return true;
}

static bool run_steps(plan *s, bool (*each)(const plan *s)) {
  int64_t rows = smaller(s->queries, MAX_QUERIES), max_matrices = SCORES / (rows * s->keys);
  max_matrices = smaller(max_matrices < 1 ? 1 : max_matrices, s->matrices);
  int64_t scores = max_matrices * rows * s->keys;
  if (!new_scores(s, scores, &s->scores, &s->weights)) return false;
  if (s->grad && !new_scores(s, scores, &s->slopes, &s->weight_slopes)) return false;
  for (s->first = 0; s->first < s->matrices; s->first += s->count) {
    s->count = smaller(s->matrices - s->first, max_matrices);
    for (s->member = 0; s->member < s->group; s->member++)
      if (!run_member(s, rows, each)) return false;
  }
  return true;
}

/* Returns true if the three are alike and lie one after the other at equal distances in one tensor, as self attention projects
 * them. */
static bool lie_together(tocha_tensor *const *parts) {
  const tocha_tensor *t = parts[0];
  const int64_t apart = parts[1]->offset - t->offset;
  for (int i = 1; i < 3; i++)
    if (parts[i]->storage != t->storage || parts[i]->offset - parts[i - 1]->offset != apart ||
        !tocha_same_sizes(parts[i], t) ||
        memcmp(parts[i]->strides, t->strides, 4 * sizeof *t->strides) != 0)
      return false;
  return apart > 0;
}

/* Replaces query, key and value by row-major ones. Those that lie together are copied by one kernel. */
static void make_rows(tocha_context *cx, tocha_tensor **parts) {
  const tocha_tensor *t = parts[0];
  if (tocha_is_contiguous(t) || !lie_together(parts)) {
    for (int i = 0; i < 3; i++)
      parts[i] = tocha_as_rows(cx, parts[i], (tocha_dtype)parts[i]->dtype);
    return;
  }
  int64_t sizes[5] = {3}, strides[5] = {parts[1]->offset - t->offset};
  memcpy(sizes + 1, t->sizes, 4 * sizeof *sizes);
  memcpy(strides + 1, t->strides, 4 * sizeof *strides);
  tocha_tensor *all = tocha_alias(cx, t, 5, sizes, strides, t->offset);
  all = tocha_as_rows(cx, all, (tocha_dtype)t->dtype);
  for (int i = 0; all && i < 3; i++)
    parts[i] = tocha_alias(cx, all, 4, all->sizes + 1, all->strides + 1, i * all->strides[0]);
}

static plan plan_of(const tocha_attention_call *c) {
  tocha_context *cx = c->cx;
  tocha_tensor *parts[3] = {c->query, c->key, c->value};
  int64_t heads = c->key->sizes[1];
  make_rows(cx, parts);
  return (plan){.c = c,
                .cx = cx,
                .stream = tocha_stream_of(cx, c->query->device),
                .query = parts[0],
                .key = parts[1],
                .value = parts[2],
                .logsumexp = c->logsumexp,
                .group = c->query->sizes[1] / heads,
                .queries = c->query->sizes[2],
                .keys = c->key->sizes[2],
                .width = c->query->sizes[3],
                .matrices = c->query->sizes[0] * heads};
}

bool tocha_attention_by_blocks(const tocha_attention_call *c) {
  plan s = plan_of(c);
  if (tocha_failed(c->cx)) return false;
  s.out = tocha_new_like(c->cx, s.query, (tocha_dtype)s.query->dtype);
  return s.out && run_steps(&s, step) && tocha_copy_data(c->cx, c->out, s.out);
}

bool tocha_attention_back_by_blocks(const tocha_attention_call *c) {
  int64_t last = -1;
  tocha_dtype wide = (tocha_dtype)c->logsumexp->dtype;
  plan s = plan_of(c);
  s.grad = tocha_as_rows(c->cx, c->grad, (tocha_dtype)c->query->dtype);
  if (!s.grad) return false;
  tocha_tensor *grad = tocha_as_dtype(c->cx, c->grad, wide),
               *out = tocha_as_dtype(c->cx, c->out, wide);
  s.means = tocha_sum_dim_IntList(c->cx, tocha_mul(c->cx, grad, out), 1, &last, false);
  if (!s.means) return false;
  s.means = tocha_as_rows(c->cx, s.means, wide);
  return !tocha_failed(c->cx) && tocha_fill_data(c->cx, c->grad_key, tocha_int(0)) &&
         tocha_fill_data(c->cx, c->grad_value, tocha_int(0)) && run_steps(&s, step_back);
}
