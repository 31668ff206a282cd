/* kernels.c: the CPU's kernels of softmax and normalization. Divides rows, columns and sets among threads. */
#include "ops/normalization/kernels.h"

#include "device/devices.h"
#include "ops/normalization/cpu/digits/rounding.h"
#include "ops/normalization/cpu/norm.h"
#include "ops/normalization/cpu/softmax.h"
#include "tensor/parallel.h"

typedef struct softmax_call {
  tocha_softmax_args args;
  const tocha_softmax_loops *loops;
  int64_t item; /* bytes of an element */
  tocha_stop stop;
  int rounds;     /* the dtype that steps are rounded to, or 0 */
  int64_t groups; /* groups of TOCHA_SOFTMAX_COLUMNS columns in one outer index */
} softmax_call;

static const char *at(const void *data, int64_t bytes) { return (const char *)data + bytes; }

static void run_rows(void *user, int64_t begin, int64_t end) {
  const softmax_call *c = user;
  const tocha_softmax_args *a = &c->args;
  int64_t offset = begin * a->n * c->item;
  char *out = (char *)a->out + offset;
  if (a->result)
    c->loops->rows_backward(at(a->in, offset), at(a->result, offset), out, end - begin, a->n,
                            a->log, c->stop);
  else
    c->loops->rows(at(a->in, offset), out, end - begin, a->n, a->log, c->rounds, c->stop);
}

static void run_columns(void *user, int64_t begin, int64_t end) {
  const softmax_call *c = user;
  const tocha_softmax_args *a = &c->args;
  for (int64_t i = begin; i < end; i++) {
    int64_t outer = i / c->groups, column = i % c->groups * TOCHA_SOFTMAX_COLUMNS;
    int64_t rest = a->inner - column;
    int64_t width = rest < TOCHA_SOFTMAX_COLUMNS ? rest : TOCHA_SOFTMAX_COLUMNS;
    int64_t offset = (outer * a->n * a->inner + column) * c->item;
    char *out = (char *)a->out + offset;
    if (a->result)
      c->loops->columns_backward(at(a->in, offset), at(a->result, offset), out, a->n, a->inner,
                                 width, a->log, c->stop);
    else
      c->loops->columns(at(a->in, offset), out, a->n, a->inner, width, a->log, c->stop);
  }
}

static bool softmax(tocha_stream *stream, const tocha_softmax_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  softmax_call c = {.args = *args,
                    .stop = &cx->interrupted,
                    .loops = tocha_softmax_loops_table[cx->isa][args->dtype],
                    .item = (int64_t)tocha_dtype_size(args->dtype),
                    .rounds = tocha_softmax_step_dtype(cx, args)};
  if (args->inner == 1)
    return tocha_parallel_for(cx, args->outer, TOCHA_GRAIN / (8 * args->n) + 1, run_rows, &c);
  c.groups = (args->inner + TOCHA_SOFTMAX_COLUMNS - 1) / TOCHA_SOFTMAX_COLUMNS;
  int64_t width = args->inner < TOCHA_SOFTMAX_COLUMNS ? args->inner : TOCHA_SOFTMAX_COLUMNS;
  return tocha_parallel_for(cx, args->outer * c.groups, TOCHA_GRAIN / (8 * args->n * width) + 1,
                            run_columns, &c);
}

/* --- normalization --------------------------------------------------------------------------------------- */

typedef struct norm_call {
  const tocha_norm_args *args;
  void (*loop)(const tocha_norm_args *args, int64_t begin, int64_t end, tocha_stop stop);
  tocha_stop stop;
  int64_t count, panel; /* sets or channels in all, and in a panel */
} norm_call;

static void norm_part(void *user, int64_t begin, int64_t end) {
  const norm_call *c = user;
  c->loop(c->args, begin, end, c->stop);
}

static void norm_panels(void *user, int64_t begin, int64_t end) {
  const norm_call *c = user;
  for (int64_t i = begin * c->panel; i < end * c->panel && i < c->count; i += c->panel)
    c->loop(c->args, i, c->count - i < c->panel ? c->count : i + c->panel, c->stop);
}

/* Returns how many sets or channels of width one a thread processes side by side: as many as its share has, because elements
 * far apart in memory are slow to read. */
static int64_t panel_of(const tocha_context *cx, int64_t count) {
  enum { MINIMUM = 64 };
  int64_t each = (count / cx->threads + MINIMUM - 1) / MINIMUM * MINIMUM;
  return each < MINIMUM ? MINIMUM : each < TOCHA_NORM_PANEL ? each : TOCHA_NORM_PANEL;
}

static bool run_norm(tocha_context *cx, norm_call *c, int64_t count, int64_t width) {
  int64_t elements = c->args->runs * c->args->sets * c->args->length;
  if (width == 1) {
    c->count = count;
    c->panel = panel_of(cx, count);
    return tocha_parallel_parts(cx, (count + c->panel - 1) / c->panel, 4 * elements, norm_panels,
                                c);
  }
  int64_t grain = TOCHA_GRAIN / 4 / (elements / count + 1) + 1;
  return tocha_parallel_for(cx, count, grain, norm_part, c);
}

static const tocha_norm_loops *norm_loops(tocha_context *cx, const tocha_norm_args *args) {
  return tocha_norm_loops_table[cx->isa][args->dtype];
}

static bool norm(tocha_stream *stream, const tocha_norm_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  norm_call c = {args, norm_loops(cx, args)->forward, &cx->interrupted, 0, 0};
  return run_norm(cx, &c, args->sets, args->length);
}

static bool norm_backward(tocha_stream *stream, const tocha_norm_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  norm_call c = {args, norm_loops(cx, args)->backward, &cx->interrupted, 0, 0};
  return run_norm(cx, &c, args->sets, args->length);
}

static bool norm_weights(tocha_stream *stream, const tocha_norm_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  norm_call c = {args, norm_loops(cx, args)->weights, &cx->interrupted, 0, 0};
  if (tocha_norm_of_batches(args)) /* computed with the input's gradient, or instead of it */
    return args->out || norm_backward(stream, args);
  return run_norm(cx, &c, args->groups * (args->length / args->inner), args->inner);
}

extern const tocha_normalization_kernels tocha_cpu_normalization;
const tocha_normalization_kernels tocha_cpu_normalization = {softmax, norm, norm_backward,
                                                             norm_weights};
