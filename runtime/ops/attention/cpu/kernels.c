/* kernels.c: the CPU's kernels of attention. In the forward pass a thread takes a block of queries of one head, goes over the
 * keys in blocks and keeps a running softmax. In the backward pass it takes a head of the keys, with all queries that use it,
 * and computes their scores again. */
#include "ops/attention/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "dispatch/rounding.h"
#include "ops/attention/cpu/attention.h"
#include "ops/matmul/cpu/single.h"
#include "tensor/parallel.h"
#include "tensor/interruptible.h"

enum { MAX_KEYS = 512, ALIGNMENT = 64, PARTS_A_THREAD = 4, EXP_COSTS = 8 };

typedef struct run {
  tocha_context *cx;
  tocha_stop stop;
  const tocha_attention_args *args;
  const tocha_attention_loops *loops;
  int rounds;                          /* the dtype that factors of products are rounded to, or 0 */
  int64_t item, max_rows, max_columns; /* bytes of an element; maximum sizes of a block */
  /* blocks of queries in a head; parts that share the tasks */
  int64_t blocks, tasks, parts;
  char *memory;
  uint64_t memory_each, gemm_bytes;
} run;

/* The scratch memory of a thread. */
typedef struct scratch {
  void *scores, *slopes, *out, *maximum, *sum, *gemm;
} scratch;

/* A block of queries, first..first + rows of head `head` of a batch, and a block of keys, key..key + columns. */
typedef struct block {
  int64_t batch, head, first, rows, key, columns;
} block;

static size_t aligned(int64_t bytes) {
  return ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Lays out the arrays of `d` in `memory` and returns the bytes needed. With NULL only computes the bytes. */
static size_t arrange(const run *r, char *memory, scratch *d) {
  size_t scores = aligned(r->max_rows * r->max_columns * r->item);
  size_t out = aligned(r->max_rows * r->args->width * r->item);
  size_t row = aligned(r->max_rows * r->item), at = 0;
  void **arrays[] = {&d->scores, &d->slopes, &d->out, &d->maximum, &d->sum, &d->gemm};
  size_t sizes[] = {scores, r->args->grad.data ? scores : 0, out, row, row, r->gemm_bytes};
  for (int i = 0; i < 6; i++) {
    *arrays[i] = memory && sizes[i] ? memory + at : NULL;
    at += sizes[i];
  }
  return at;
}

static char *rows_of(const run *r, const tocha_heads *t, int64_t batch, int64_t head, int64_t row) {
  return (char *)t->data + (batch * t->batch + head * t->head + row * t->row) * r->item;
}

static int64_t key_head(const run *r, const block *b) {
  return b->head / (r->args->heads / r->args->key_heads);
}

static char *queries_of(const run *r, const tocha_heads *t, const block *b) {
  return rows_of(r, t, b->batch, b->head, b->first);
}

static char *keys_of(const run *r, const tocha_heads *t, const block *b) {
  return rows_of(r, t, b->batch, key_head(r, b), b->key);
}

static char *logsumexp_of(const run *r, const block *b) {
  const tocha_attention_args *a = r->args;
  return (char *)a->logsumexp + ((b->batch * a->heads + b->head) * a->queries + b->first) * r->item;
}

static tocha_scores scores_of(const run *r, const block *b, const scratch *d) {
  const tocha_score_mask *m = &r->args->mask;
  tocha_scores s = {.scores = d->scores,
                    .rows = b->rows,
                    .columns = b->columns,
                    .visible = r->args->causal ? b->first + 1 - b->key : b->columns,
                    .mask_row = m->row,
                    .mask_column = m->column,
                    .rounds = r->rounds};
  int64_t at = b->batch * m->batch + b->head * m->head + b->first * m->row + b->key * m->column;
  if (m->data) s.mask = (const char *)m->data + at * r->item;
  return s;
}

/* Returns the number of keys that a block of queries sees. */
static int64_t keys_seen(const run *r, const block *b) {
  int64_t end = b->first + b->rows;
  return r->args->causal && end < r->args->keys ? end : r->args->keys;
}

static void next_keys(const run *r, block *b, int64_t keys) {
  int64_t left = keys - b->key;
  b->columns = left < r->max_columns ? left : r->max_columns;
}

/* Computes a product of matrices, which are rows of tensors (ld: from one row to the next) or blocks in scratch memory. */
static void multiply(const run *r, const scratch *d, tocha_gemm_args g, double alpha, int beta) {
  g.batch = 1;
  g.dtype = r->args->dtype;
  g.alpha = tocha_float(alpha);
  g.beta = tocha_int(beta);
  tocha_single_gemm(r->cx, &g, d->gemm);
}

/* Computes out (rows, columns) = alpha * rows of queries @ rows of keys^T. */
static void against_keys(const run *r, const scratch *d, const block *b, const tocha_heads *queries,
                         const tocha_heads *keys, void *out, double alpha) {
  tocha_gemm_args g = {.a = queries_of(r, queries, b),
                       .b = keys_of(r, keys, b),
                       .out = out,
                       .m = b->rows,
                       .n = b->columns,
                       .k = r->args->width,
                       .lda = queries->row,
                       .ldb = keys->row,
                       .b_transposed = true};
  multiply(r, d, g, alpha, 0);
}

/* Rounds a 16-bit gradient's sum (rows, width) after each block, as PyTorch does. */
static void round_sum(const run *r, void *sum, int64_t rows) {
  r->loops->round(sum, rows * r->args->width, r->rounds);
}

/* Computes out (rows, width) += alpha * weights (rows, columns) @ rows of keys. */
static void add_weighted_keys(const run *r, const scratch *d, const block *b, const void *weights,
                              const tocha_heads *keys, void *out, double alpha) {
  tocha_gemm_args g = {.a = weights,
                       .b = keys_of(r, keys, b),
                       .out = out,
                       .m = b->rows,
                       .n = r->args->width,
                       .k = b->columns,
                       .lda = b->columns,
                       .ldb = keys->row};
  multiply(r, d, g, alpha, 1);
}

/* Computes rows of keys += alpha * weights^T @ rows of queries, (columns, width). */
static void add_weighted_queries(const run *r, const scratch *d, const block *b,
                                 const void *weights, const tocha_heads *queries,
                                 const tocha_heads *keys, double alpha) {
  tocha_gemm_args g = {.a = weights,
                       .b = queries_of(r, queries, b),
                       .out = keys_of(r, keys, b),
                       .m = b->columns,
                       .n = r->args->width,
                       .k = b->rows,
                       .lda = b->columns,
                       .ldb = queries->row,
                       .a_transposed = true};
  multiply(r, d, g, alpha, 1);
  round_sum(r, g.out, b->columns);
}

/* --- forward --------------------------------------------------------------------------------------------- */

static block block_of(const run *r, int64_t batch, int64_t head, int64_t i) {
  block b = {.batch = batch, .head = head, .first = i * r->max_rows};
  int64_t left = r->args->queries - b.first;
  b.rows = left < r->max_rows ? left : r->max_rows;
  return b;
}

static void forward_task(const run *r, int64_t task, const scratch *d) {
  const tocha_attention_args *a = r->args;
  int64_t head = task / r->blocks;
  block b = block_of(r, head / a->heads, head % a->heads, task % r->blocks);
  tocha_running running = {d->maximum, d->sum, d->out, b.rows, a->width};
  int64_t keys = keys_seen(r, &b);
  r->loops->begin(&running);
  for (; b.key < keys && !tocha_is_set(r->stop); b.key += b.columns) {
    next_keys(r, &b, keys);
    against_keys(r, d, &b, &a->query, &a->key, d->scores, a->scale);
    tocha_scores s = scores_of(r, &b, d);
    r->loops->add(&s, &running);
    add_weighted_keys(r, d, &b, d->scores, &a->value, d->out, 1);
  }
  r->loops->finish(&running, queries_of(r, &a->out, &b), a->out.row, logsumexp_of(r, &b));
}

/* --- backward -------------------------------------------------------------------------------------------- */

static void backward_block(const run *r, block b, const scratch *d) {
  const tocha_attention_args *a = r->args;
  int64_t keys = keys_seen(r, &b);
  double early = r->rounds ? 1 : a->scale, late = r->rounds ? a->scale : 1;
  r->loops->means(queries_of(r, &a->grad, &b), a->grad.row, queries_of(r, &a->out, &b), a->out.row,
                  b.rows, a->width, d->sum);
  memset(d->out, 0, (size_t)(b.rows * a->width * r->item));
  for (; b.key < keys && !tocha_is_set(r->stop); b.key += b.columns) {
    next_keys(r, &b, keys);
    against_keys(r, d, &b, &a->query, &a->key, d->scores, a->scale);
    against_keys(r, d, &b, &a->grad, &a->value, d->slopes, 1);
    tocha_scores s = scores_of(r, &b, d);
    r->loops->slopes(&s, d->slopes, logsumexp_of(r, &b), d->sum, early);
    add_weighted_queries(r, d, &b, d->scores, &a->grad, &a->grad_value, 1);
    add_weighted_queries(r, d, &b, d->slopes, &a->query, &a->grad_key, late);
    add_weighted_keys(r, d, &b, d->slopes, &a->key, d->out, late);
    round_sum(r, d->out, b.rows);
  }
  memcpy(queries_of(r, &a->grad_query, &b), d->out, (size_t)(b.rows * a->width * r->item));
}

static void backward_task(const run *r, int64_t task, const scratch *d) {
  const tocha_attention_args *a = r->args;
  int64_t batch = task / a->key_heads, head = task % a->key_heads, group = a->heads / a->key_heads;
  size_t bytes = (size_t)(a->keys * a->width * r->item);
  memset(rows_of(r, &a->grad_key, batch, head, 0), 0, bytes);
  memset(rows_of(r, &a->grad_value, batch, head, 0), 0, bytes);
  for (int64_t g = 0; g < group; g++)
    for (int64_t i = 0; i < r->blocks && !tocha_is_set(r->stop); i++)
      backward_block(r, block_of(r, batch, head * group + g, i), d);
}

/* --- threads --------------------------------------------------------------------------------------------- */

/* Runs parts begin..end - 1. Part p takes the tasks p, p + parts, ..., so that all parts share the long ones (the last of a
 * causal head). */
static void run_parts(void *user, int64_t begin, int64_t end) {
  const run *r = user;
  for (int64_t p = begin; p < end; p++) {
    scratch d;
    arrange(r, r->memory + (size_t)p * r->memory_each, &d);
    for (int64_t task = p; task < r->tasks && !tocha_is_set(r->stop); task += r->parts)
      if (r->args->grad.data)
        backward_task(r, task, &d);
      else
        forward_task(r, task, &d);
  }
}

/* Returns the number of queries in a block. It is PyTorch's if sums of blocks are rounded. */
static int64_t rows_at_a_time(const tocha_attention_args *a, int rounds) {
  int64_t rows = a->queries >= 768 ? 256 : a->queries >= 192 ? 128 : 64;
  return a->grad.data && rounds && rows < 256 ? rows / 2 : rows;
}

static bool run_attention(tocha_stream *stream, const tocha_attention_args *a) {
  tocha_context *cx = tocha_stream_context(stream);
  scratch d;
  run r = {.cx = cx,
           .stop = &cx->interrupted,
           .args = a,
           .loops = tocha_attention_loops_table[cx->isa][a->dtype],
           .rounds = tocha_step_dtype(cx, a->given),
           .item = (int64_t)tocha_dtype_size((tocha_dtype)a->dtype),
           .gemm_bytes = tocha_single_gemm_bytes(cx)};
  r.max_rows = rows_at_a_time(a, r.rounds);
  if (r.max_rows > a->queries) r.max_rows = a->queries;
  r.max_columns = a->keys < MAX_KEYS ? a->keys : MAX_KEYS;
  r.blocks = (a->queries + r.max_rows - 1) / r.max_rows;
  r.tasks = a->batch * (a->grad.data ? a->key_heads : a->heads * r.blocks);
  r.parts = (int64_t)PARTS_A_THREAD * cx->threads;
  if (r.parts > r.tasks) r.parts = r.tasks;
  r.memory_each = arrange(&r, NULL, &d);
  uint64_t bytes = (uint64_t)r.parts * r.memory_each + ALIGNMENT;
  char *memory = tocha_allocate(cx, bytes);
  if (!memory) return false;
  r.memory = (char *)aligned((int64_t)(intptr_t)memory);
  int64_t scores = a->batch * a->heads * a->queries * a->keys;
  bool ok = tocha_parallel_parts(cx, r.parts, scores * (a->width / 8 + EXP_COSTS), run_parts, &r);
  tocha_deallocate(cx, memory, bytes);
  return ok;
}

extern const tocha_attention_kernels tocha_cpu_attention;
const tocha_attention_kernels tocha_cpu_attention = {.forward = run_attention,
                                                     .backward = run_attention};
