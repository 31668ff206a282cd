/* bfloat16.c: products of bfloat16 by AVX512-BF16, if oneDNN is missing. Both operands are packed once, and every tile of the
 * result is summed over all of K in registers. */
#include "ops/matmul/cpu/bfloat16.h"

#include "ops/matmul/cpu/bfloat16_tiles.h"
#include "tensor/parallel.h"
#include "tensor/interruptible.h"

bool tocha_bfloat16_kernel(void) {
#ifdef TOCHA_AVX512_KERNELS
  return tocha_this_isa() == TOCHA_ISA_AVX512 &&
         tocha_bfloat16_tiles_loops_table[TOCHA_ISA_AVX512]->tile &&
         __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

bool tocha_bfloat16_takes(const tocha_gemm_args *args) {
  return args->m >= 4 && args->n >= 4 && tocha_bfloat16_kernel();
}

enum { ROWS = TOCHA_BFLOAT16_ROWS, COLUMNS = TOCHA_BFLOAT16_COLUMNS };
/* MAX_PANELS: panels along each side of a block, so that its rows stay in the cache. MIN_WORK: multiply-adds of a block.
 * PER_ELEMENT: multiply-adds that take as long as one element of simple arithmetic. */
enum { MAX_PANELS = 10, MIN_WORK = 1 << 18, PER_ELEMENT = 32 };

typedef struct product {
  tocha_context *cx;
  const tocha_gemm_args *args;
  const tocha_bfloat16_tiles_loops *loops;
  int64_t pairs, row_panels, column_panels; /* pairs along K and panels of the whole matrices */
  int64_t block_rows, block_columns;        /* panels of one block */
  int64_t row_blocks, column_blocks;
  uint16_t *a, *b;
} product;

static void pack_a(void *user, int64_t begin, int64_t end) {
  const product *p = user;
  const tocha_gemm_args *args = p->args;
  tocha_matrix_strides a = tocha_strides_of(args->a_transposed, args->lda);
  for (int64_t i = begin; i < end; i++) {
    int64_t matrix = i / p->row_panels, row = i % p->row_panels * ROWS;
    p->loops->pack((const uint16_t *)args->a + matrix * args->a_batch_stride + row * a.row, a.row,
                   a.column, args->m - row < ROWS ? args->m - row : ROWS, args->k, ROWS,
                   p->a + i * p->pairs * ROWS * 2);
  }
}

static void pack_b(void *user, int64_t begin, int64_t end) {
  const product *p = user;
  const tocha_gemm_args *args = p->args;
  tocha_matrix_strides b = tocha_strides_of(args->b_transposed, args->ldb);
  for (int64_t i = begin; i < end; i++) {
    int64_t matrix = i / p->column_panels, column = i % p->column_panels * COLUMNS;
    p->loops->pack((const uint16_t *)args->b + matrix * args->b_batch_stride + column * b.column,
                   b.column, b.row, args->n - column < COLUMNS ? args->n - column : COLUMNS,
                   args->k, COLUMNS, p->b + i * p->pairs * COLUMNS * 2);
  }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void multiply_block(const product *p, int64_t matrix, int64_t row_block,
                           int64_t column_block) {
  const tocha_gemm_args *args = p->args;
  int64_t a_panel = p->pairs * ROWS * 2, b_panel = p->pairs * COLUMNS * 2;
  const uint16_t *a = p->a + (args->a_batch_stride ? matrix : 0) * p->row_panels * a_panel;
  const uint16_t *b = p->b + (args->b_batch_stride ? matrix : 0) * p->column_panels * b_panel;
  uint16_t *out = (uint16_t *)args->out + matrix * args->m * args->n;
  tocha_bfloat16_factors factors = {(float)tocha_scalar_real(args->alpha),
                                    (float)tocha_scalar_real(args->beta)};
  int64_t last_row = smaller((row_block + 1) * p->block_rows, p->row_panels);
  int64_t last_column = smaller((column_block + 1) * p->block_columns, p->column_panels);
  for (int64_t y = column_block * p->block_columns; y < last_column; y++) {
    int64_t column = y * COLUMNS, columns = smaller(args->n - column, COLUMNS);
    const uint16_t *bias = args->bias ? (const uint16_t *)args->bias + column : NULL;
    for (int64_t x = row_block * p->block_rows; x < last_row; x++)
      p->loops->tile(a + x * a_panel, b + y * b_panel, p->pairs, bias, factors,
                     out + x * ROWS * args->n + column, args->n, smaller(args->m - x * ROWS, ROWS),
                     columns);
  }
}

static void multiply_blocks(void *user, int64_t begin, int64_t end) {
  const product *p = user;
  for (int64_t i = begin; i < end; i++) {
    if (tocha_is_set(&p->cx->interrupted)) return;
    int64_t block = i % (p->row_blocks * p->column_blocks);
    multiply_block(p, i / (p->row_blocks * p->column_blocks), block / p->column_blocks,
                   block % p->column_blocks);
  }
}

static int64_t divided(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Divides the result into blocks of equal size, a few for each thread. */
static void choose_blocks(product *p) {
  p->row_blocks = divided(p->row_panels, MAX_PANELS);
  p->column_blocks = divided(p->column_panels, MAX_PANELS);
  int64_t enough = p->cx->threads > 1 ? 4 * p->cx->threads : 1,
          work = p->args->m * p->args->n * p->args->k;
  for (;;) {
    int64_t blocks = p->row_blocks * p->column_blocks;
    if (p->args->batch * blocks >= enough || work / blocks < 2 * MIN_WORK) break;
    int64_t rows = divided(p->row_panels, p->row_blocks);
    int64_t columns = divided(p->column_panels, p->column_blocks);
    if (rows == 1 && columns == 1) break;
    if (rows > columns)
      p->row_blocks *= 2;
    else
      p->column_blocks *= 2;
  }
  p->block_rows = divided(p->row_panels, p->row_blocks);
  p->block_columns = divided(p->column_panels, p->column_blocks);
  p->row_blocks = divided(p->row_panels, p->block_rows);
  p->column_blocks = divided(p->column_panels, p->block_columns);
}

bool tocha_bfloat16_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  product p = {.cx = cx, .args = args, .pairs = (args->k + 1) / 2};
  p.loops = tocha_bfloat16_tiles_loops_table[cx->isa];
  p.row_panels = divided(args->m, ROWS);
  p.column_panels = divided(args->n, COLUMNS);
  choose_blocks(&p);
  int64_t a_panels = (args->a_batch_stride ? args->batch : 1) * p.row_panels;
  int64_t b_panels = (args->b_batch_stride ? args->batch : 1) * p.column_panels;
  uint64_t a_bytes = (uint64_t)(a_panels * p.pairs * ROWS) * 4;
  uint64_t b_bytes = (uint64_t)(b_panels * p.pairs * COLUMNS) * 4;
  char *memory = tocha_allocate(cx, a_bytes + b_bytes);
  if (!memory) return false;
  p.b = (uint16_t *)memory;
  p.a = (uint16_t *)(memory + b_bytes);
  int64_t blocks = args->batch * p.row_blocks * p.column_blocks;
  int64_t work = args->batch * args->m * args->n * args->k;
  bool ok = tocha_parallel_for(cx, a_panels, TOCHA_GRAIN / (p.pairs * ROWS) + 1, pack_a, &p) &&
            tocha_parallel_for(cx, b_panels, TOCHA_GRAIN / (p.pairs * COLUMNS) + 1, pack_b, &p) &&
            tocha_parallel_parts(cx, blocks, work / PER_ELEMENT, multiply_blocks, &p);
  tocha_deallocate(cx, memory, a_bytes + b_bytes);
  return ok;
}
