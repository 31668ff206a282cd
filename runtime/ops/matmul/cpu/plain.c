/* plain.c: products by the loops of gemm.c, with blocks of rows divided among threads. */
#include "ops/matmul/cpu/plain.h"

#include "ops/matmul/cpu/half.h"
#include "tensor/parallel.h"

enum { SMALL = 16384 }; /* bytes for packing that a thread's stack holds */

typedef struct product {
  tocha_context *cx;
  tocha_gemm_block whole; /* the block of the first matrices */
  const tocha_gemm_loops *loops;
  int64_t a_batch_stride, b_batch_stride, item; /* item: bytes of an element */
  int64_t rows_each;                            /* rows of out in one part */
  int64_t parts_each;                           /* parts of a matrix, one after the other */
  char *memory;                                 /* packed_bytes of memory for each part, or NULL */
  size_t packed_bytes;
} product;

static void run_part(const product *p, int64_t part, void *packed) {
  int64_t matrix = part / p->parts_each, row = part % p->parts_each * p->rows_each;
  tocha_gemm_block g = p->whole;
  g.m = p->whole.m - row < p->rows_each ? p->whole.m - row : p->rows_each;
  g.a = (const char *)p->whole.a + (matrix * p->a_batch_stride + row * g.a_row) * p->item;
  g.b = (const char *)p->whole.b + matrix * p->b_batch_stride * p->item;
  g.c = (char *)p->whole.c + (matrix * p->whole.m + row) * g.n * p->item;
  p->loops->multiply(&g, packed);
}

static void run_parts(void *user, int64_t begin, int64_t end) {
  const product *p = user;
  _Alignas(64) char small[SMALL];
  for (int64_t i = begin; i < end; i++)
    run_part(p, i, p->memory ? p->memory + (size_t)i * p->packed_bytes : small);
}

tocha_gemm_block tocha_gemm_block_of(tocha_context *cx, const tocha_gemm_args *args) {
  tocha_matrix_strides a = tocha_strides_of(args->a_transposed, args->lda);
  tocha_matrix_strides b = tocha_strides_of(args->b_transposed, args->ldb);
  return (tocha_gemm_block){.m = args->m,
                            .n = args->n,
                            .k = args->k,
                            .a = args->a,
                            .b = args->b,
                            .c = args->out,
                            .a_row = a.row,
                            .a_column = a.column,
                            .b_row = b.row,
                            .b_column = b.column,
                            .c_row = args->n,
                            .alpha = args->alpha,
                            .beta = args->beta,
                            .stop = &cx->interrupted};
}

/* Turns a matrix times a vector into a vector times the transposed matrix. This fills panels, which would otherwise have width
 * one. */
static void swap_operands(product *p) {
  tocha_gemm_block *g = &p->whole, old = p->whole;
  int64_t batch_stride = p->a_batch_stride;
  g->m = 1;
  g->n = old.m;
  g->a = old.b;
  g->a_row = old.b_column;
  g->a_column = old.b_row;
  g->b = old.a;
  g->b_row = old.a_column;
  g->b_column = old.a_row;
  g->c_row = g->n;
  p->a_batch_stride = p->b_batch_stride;
  p->b_batch_stride = batch_stride;
}

static size_t packed_bytes(const tocha_gemm_block *g) {
  int64_t k = g->k < TOCHA_GEMM_BLOCK_K ? g->k : TOCHA_GEMM_BLOCK_K;
  int64_t n = g->n < TOCHA_GEMM_BLOCK_N ? (g->n + 31) / 32 * 32 : TOCHA_GEMM_BLOCK_N;
  return (uint64_t)(k * n) * 8 + 64;
}

/* Divides the product into about twice as many parts as there are threads, if there is enough work. */
static void choose_parts(product *p, int64_t batch, int64_t work) {
  int64_t max_parts = 2 * p->cx->threads, rows = p->whole.m;
  p->parts_each = 1;
  if (batch < max_parts && work * batch > 8 * TOCHA_GRAIN) {
    p->parts_each = (max_parts + batch - 1) / batch;
    if (p->parts_each > (rows + 31) / 32) p->parts_each = (rows + 31) / 32;
  }
  p->rows_each = (rows + p->parts_each - 1) / p->parts_each;
  if (p->parts_each > 1) p->rows_each = (p->rows_each + 3) / 4 * 4;
  p->parts_each = (rows + p->rows_each - 1) / p->rows_each;
}

bool tocha_plain_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  product p = {.cx = cx,
               .whole = tocha_gemm_block_of(cx, args),
               .loops = tocha_gemm_loops_table[cx->isa][args->dtype],
               .a_batch_stride = args->a_batch_stride,
               .b_batch_stride = args->b_batch_stride,
               .item = (int64_t)tocha_dtype_size((tocha_dtype)args->dtype)};
  if (args->n == 1 && args->m > 1) swap_operands(&p);
  int64_t work = args->m * args->n * args->k;
  choose_parts(&p, args->batch, work);
  int64_t parts = args->batch * p.parts_each;
  p.packed_bytes = (packed_bytes(&p.whole) + 63) / 64 * 64;
  uint64_t bytes = (uint64_t)parts * p.packed_bytes;
  if (p.packed_bytes > SMALL && !(p.memory = tocha_allocate(cx, bytes))) return false;
  bool ok = p.parts_each > 1 ? tocha_parallel_parts(cx, parts, work * args->batch, run_parts, &p)
                             : tocha_parallel_for(cx, parts, TOCHA_GRAIN / work + 1, run_parts, &p);
  if (p.memory) tocha_deallocate(cx, p.memory, bytes);
  return ok;
}

void tocha_plain_dot(const tocha_dot_args *args) {
  double sum = 0;
  uint64_t whole = 0;
  for (int64_t i = 0; i < args->n; i++) {
    int64_t a = i * args->a_stride, b = i * args->b_stride;
    if (args->dtype == TOCHA_FLOAT32)
      sum += (double)((const float *)args->a)[a] * ((const float *)args->b)[b];
    else if (args->dtype == TOCHA_FLOAT64)
      sum += ((const double *)args->a)[a] * ((const double *)args->b)[b];
    else
      whole += ((const uint64_t *)args->a)[a] * ((const uint64_t *)args->b)[b];
  }
  if (args->dtype == TOCHA_FLOAT32)
    *(float *)args->out = (float)sum;
  else if (args->dtype == TOCHA_FLOAT64)
    *(double *)args->out = sum;
  else
    *(uint64_t *)args->out = whole;
}
