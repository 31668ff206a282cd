/* kernels.c: scans on the CPU, with rows or columns divided among the threads. Elements of other
 * types than the loops' are converted in blocks. */
#include "ops/scan/kernels.h"

#include "device/devices.h"
#include "ops/scan/cpu/scan.h"
#include "tensor/convert.h"
#include "tensor/parallel.h"
#include "tensor/interruptible.h"

enum { BLOCK = 512 };     /* elements of a row that are converted together */
enum { STEP = 1 << 17 };  /* elements between two checks of the interrupt flag */
enum { FEW_COLUMNS = 8 }; /* fewer columns are processed one by one */

typedef struct scan_call {
  tocha_scan_args args;
  const tocha_scan_loops *loops;
  bool direct; /* elements and results have the loops' type; otherwise they are converted */
  tocha_converter load, store;
  int64_t item, in_item, out_item;
  int64_t groups; /* of columns within one outer index */
  tocha_stop stop;
} scan_call;

static const char *element(const scan_call *c, int64_t at) {
  return (const char *)c->args.in + at * c->in_item;
}
static char *result(const scan_call *c, int64_t at) {
  return (char *)c->args.out + at * c->out_item;
}
static int64_t *index_of(const scan_call *c, int64_t at) {
  return c->args.indices ? (int64_t *)c->args.indices + at : NULL;
}

/* Scans n elements of a row, `step` elements apart, through buffers of the loops' type. at: the
 * position of the first; first: its index in the row. */
static void run_block(const scan_call *c, tocha_scan_state *state, int64_t at, int64_t step,
                      int64_t first, int64_t n) {
  _Alignas(64) char in[BLOCK * 8], out[BLOCK * 8];
  int64_t indices[BLOCK];
  c->load(in, c->item, element(c, at), step * c->in_item, n);
  c->loops->row(c->args.kind, state, in, out, indices, 1, first, n);
  c->store(result(c, at), step * c->out_item, out, c->item, n);
  for (int64_t i = 0; c->args.indices && i < n; i++) *index_of(c, at + i * step) = indices[i];
}

/* Scans rows, or columns that are too few to be processed side by side. */
static void run_rows(void *user, int64_t begin, int64_t end) {
  const scan_call *c = user;
  const tocha_scan_args *a = &c->args;
  int64_t step = a->backward ? -a->inner : a->inner;
  tocha_scan_state state;
  for (int64_t row = begin; row < end; row++) {
    int64_t at = row * a->n;
    if (a->inner > 1) at = row / a->inner * a->n * a->inner + row % a->inner;
    if (a->backward) at += (a->n - 1) * a->inner;
    int64_t max_block = c->direct ? STEP : BLOCK;
    for (int64_t i = 0; i < a->n && !tocha_is_set(c->stop); i += max_block) {
      int64_t n = a->n - i < max_block ? a->n - i : max_block, from = at + i * step;
      if (c->direct)
        c->loops->row(a->kind, &state, element(c, from), result(c, from), index_of(c, from), step,
                      i, n);
      else
        run_block(c, &state, from, step, i, n);
    }
  }
}

/* Scans groups begin..end of up to TOCHA_SCAN_COLUMNS adjacent columns of (outer, n, inner). */
static void run_columns(void *user, int64_t begin, int64_t end) {
  const scan_call *c = user;
  const tocha_scan_args *a = &c->args;
  _Alignas(64) char in[TOCHA_SCAN_COLUMNS * 8], out[TOCHA_SCAN_COLUMNS * 8];
  tocha_scan_state state;
  for (int64_t i = begin; i < end; i++) {
    int64_t outer = i / c->groups, column = i % c->groups * TOCHA_SCAN_COLUMNS;
    int64_t rest = a->inner - column;
    int64_t width = rest < TOCHA_SCAN_COLUMNS ? rest : TOCHA_SCAN_COLUMNS;
    c->loops->start_columns(a->kind, &state, width);
    for (int64_t k = 0; k < a->n && !tocha_is_set(c->stop); k++) {
      int64_t index = a->backward ? a->n - 1 - k : k;
      int64_t at = (outer * a->n + index) * a->inner + column;
      if (!c->direct) c->load(in, c->item, element(c, at), c->in_item, width);
      c->loops->columns(a->kind, &state, c->direct ? element(c, at) : in,
                        c->direct ? result(c, at) : out, index_of(c, at), index, width);
      if (!c->direct) c->store(result(c, at), c->out_item, out, c->item, width);
    }
  }
}

static uint64_t scan_scratch(tocha_stream *stream, const tocha_scan_args *args) {
  (void)stream, (void)args;
  return 0;
}

static bool scan(tocha_stream *stream, const tocha_scan_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_dtype type = args->compute, in = args->in_dtype, out = args->out_dtype;
  scan_call c = {.args = *args,
                 .loops = tocha_scan_loops_table[cx->isa][type],
                 .direct = in == type && out == type,
                 .stop = &cx->interrupted,
                 .load = tocha_conversion(type, in),
                 .store = tocha_conversion(out, type),
                 .item = (int64_t)tocha_dtype_size(type),
                 .in_item = (int64_t)tocha_dtype_size(in),
                 .out_item = (int64_t)tocha_dtype_size(out)};
  if (args->inner < FEW_COLUMNS)
    return tocha_parallel_for(cx, args->outer * args->inner, TOCHA_GRAIN / (4 * args->n) + 1,
                              run_rows, &c);
  c.groups = (args->inner + TOCHA_SCAN_COLUMNS - 1) / TOCHA_SCAN_COLUMNS;
  int64_t width = args->inner < TOCHA_SCAN_COLUMNS ? args->inner : TOCHA_SCAN_COLUMNS;
  return tocha_parallel_for(cx, args->outer * c.groups, TOCHA_GRAIN / (4 * args->n * width) + 1,
                            run_columns, &c);
}

/* Computes elements begin..end of the exclusive products along n of (outer, n, inner). */
static void run_exclusive_products(void *user, int64_t begin, int64_t end) {
  const tocha_exclusive_product_args *a = user;
  for (int64_t at = begin; at < end; at++) {
    int64_t i = at / a->inner % a->n;
    const double *in = (const double *)a->in + (at - i * a->inner);
    const double *gradient = a->gradient ? (const double *)a->gradient + (at - i * a->inner) : NULL;
    double product = 1, sum = 0;
    for (int64_t k = 0; k < a->n; k++) {
      if (k != i) product *= in[k * a->inner];
      if (gradient && k >= i) sum += gradient[k * a->inner] * product;
    }
    ((double *)a->out)[at] = gradient ? sum : product;
  }
}

static bool exclusive_product(tocha_stream *stream, const tocha_exclusive_product_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  return tocha_parallel_for(cx, args->outer * args->n * args->inner, TOCHA_GRAIN / args->n + 1,
                            run_exclusive_products, (void *)args);
}

extern const tocha_scan_kernels tocha_cpu_scan;
const tocha_scan_kernels tocha_cpu_scan = {scan_scratch, scan, exclusive_product};
