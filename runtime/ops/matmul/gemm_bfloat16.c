/* gemm_bfloat16.c: products of bfloat16 by AVX512-BF16, where oneDNN is not there: both operands
 * are packed once, and every tile of the result is summed over all of K in registers. */
#include "ops/matmul/gemm_bfloat16.h"

#include "ops/matmul/gemm_half.h"
#include "tensor/iterator.h"

#ifdef TOCHA_HAVE_BFLOAT16_KERNEL

enum { ROWS = TOCHA_BFLOAT16_ROWS, COLUMNS = TOCHA_BFLOAT16_COLUMNS };
enum { MOST_PANELS = 10, LEAST_WORK = 1 << 18 }; /* of one block: its rows stay in the cache */

typedef struct bfloat16_args {
  tocha_context *cx;
  const tocha_half_product *p;
  int64_t pairs, row_panels, column_panels; /* of the whole matrices */
  int64_t block_rows, block_columns;        /* panels in one block */
  int64_t row_blocks, column_blocks;
  uint16_t *a, *b;
} bfloat16_args;

static void pack_a(void *user, int64_t begin, int64_t end) {
  const bfloat16_args *j = user;
  const tocha_half_product *p = j->p;
  for (int64_t i = begin; i < end; i++) {
    int64_t matrix = i / j->row_panels, row = i % j->row_panels * ROWS;
    tocha_bfloat16_pack((const uint16_t *)p->a + matrix * p->a_batch + row * p->a_row, p->a_row,
                        p->a_column, p->m - row < ROWS ? p->m - row : ROWS, p->k, ROWS,
                        j->a + i * j->pairs * ROWS * 2);
  }
}

static void pack_b(void *user, int64_t begin, int64_t end) {
  const bfloat16_args *j = user;
  const tocha_half_product *p = j->p;
  for (int64_t i = begin; i < end; i++) {
    int64_t matrix = i / j->column_panels, column = i % j->column_panels * COLUMNS;
    tocha_bfloat16_pack((const uint16_t *)p->b + matrix * p->b_batch + column * p->b_column,
                        p->b_column, p->b_row, p->n - column < COLUMNS ? p->n - column : COLUMNS,
                        p->k, COLUMNS, j->b + i * j->pairs * COLUMNS * 2);
  }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void multiply_block(const bfloat16_args *j, int64_t matrix, int64_t row_block,
                           int64_t column_block) {
  const tocha_half_product *p = j->p;
  const uint16_t *a = j->a + (p->a_batch ? matrix : 0) * j->row_panels * j->pairs * ROWS * 2;
  const uint16_t *b = j->b + (p->b_batch ? matrix : 0) * j->column_panels * j->pairs * COLUMNS * 2;
  uint16_t *out = (uint16_t *)p->out + matrix * p->m * p->n;
  int64_t last_row = smaller((row_block + 1) * j->block_rows, j->row_panels);
  int64_t last_column = smaller((column_block + 1) * j->block_columns, j->column_panels);
  for (int64_t y = column_block * j->block_columns; y < last_column; y++) {
    int64_t column = y * COLUMNS, columns = smaller(p->n - column, COLUMNS);
    const uint16_t *bias = p->bias ? (const uint16_t *)p->bias + column : NULL;
    for (int64_t x = row_block * j->block_rows; x < last_row; x++)
      tocha_bfloat16_tile(a + x * j->pairs * ROWS * 2, b + y * j->pairs * COLUMNS * 2, j->pairs,
                          bias, out + x * ROWS * p->n + column, p->n,
                          smaller(p->m - x * ROWS, ROWS), columns);
  }
}

static void multiply_blocks(void *user, int64_t begin, int64_t end) {
  const bfloat16_args *j = user;
  for (int64_t i = begin; i < end; i++) {
    if (atomic_load_explicit(&j->cx->interrupted, memory_order_relaxed)) return;
    int64_t block = i % (j->row_blocks * j->column_blocks);
    multiply_block(j, i / (j->row_blocks * j->column_blocks), block / j->column_blocks,
                   block % j->column_blocks);
  }
}

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Blocks of equal size, a few for each thread. */
static void where_blocks(bfloat16_args *j) {
  const tocha_half_product *p = j->p;
  j->row_blocks = parts(j->row_panels, MOST_PANELS);
  j->column_blocks = parts(j->column_panels, MOST_PANELS);
  int64_t enough = j->cx->threads > 1 ? 4 * j->cx->threads : 1, work = p->m * p->n * p->k;
  for (;;) {
    int64_t blocks = j->row_blocks * j->column_blocks;
    if (p->batch * blocks >= enough || work / blocks < 2 * LEAST_WORK) break;
    int64_t rows = parts(j->row_panels, j->row_blocks);
    int64_t columns = parts(j->column_panels, j->column_blocks);
    if (rows == 1 && columns == 1) break;
    if (rows > columns)
      j->row_blocks *= 2;
    else
      j->column_blocks *= 2;
  }
  j->block_rows = parts(j->row_panels, j->row_blocks);
  j->block_columns = parts(j->column_panels, j->column_blocks);
  j->row_blocks = parts(j->row_panels, j->block_rows);
  j->column_blocks = parts(j->column_panels, j->block_columns);
}

bool tocha_bfloat16_kernel(void) {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

bool tocha_bfloat16_product(tocha_context *cx, const tocha_half_product *p, bool *ok) {
  if (p->dtype != TOCHA_BFLOAT16 || p->m < 4 || p->n < 4 || !tocha_bfloat16_kernel()) return false;
  bfloat16_args j = {.cx = cx, .p = p, .pairs = (p->k + 1) / 2};
  j.row_panels = parts(p->m, ROWS);
  j.column_panels = parts(p->n, COLUMNS);
  where_blocks(&j);
  int64_t a_panels = (p->a_batch ? p->batch : 1) * j.row_panels;
  int64_t b_panels = (p->b_batch ? p->batch : 1) * j.column_panels;
  size_t a_bytes = (size_t)(a_panels * j.pairs * ROWS) * 4;
  size_t b_bytes = (size_t)(b_panels * j.pairs * COLUMNS) * 4;
  char *room = tocha_allocate(cx, a_bytes + b_bytes);
  *ok = false;
  if (!room) return true;
  j.b = (uint16_t *)room;
  j.a = (uint16_t *)(room + b_bytes);
  int64_t blocks = p->batch * j.row_blocks * j.column_blocks;
  int64_t work = p->batch * p->m * p->n * p->k / blocks;
  *ok = tocha_parallel_for(cx, a_panels, TOCHA_GRAIN / (j.pairs * ROWS) + 1, pack_a, &j) &&
        tocha_parallel_for(cx, b_panels, TOCHA_GRAIN / (j.pairs * COLUMNS) + 1, pack_b, &j) &&
        tocha_parallel_for(cx, blocks, LEAST_WORK / (work + 1) + 1, multiply_blocks, &j);
  tocha_deallocate(cx, room, a_bytes + b_bytes);
  return true;
}

#else

bool tocha_bfloat16_kernel(void) { return false; }

bool tocha_bfloat16_product(tocha_context *cx, const tocha_half_product *p, bool *ok) {
  (void)cx, (void)p;
  *ok = false;
  return false;
}

#endif
