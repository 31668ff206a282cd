/* norm.c: norms 1, 2 and p of rows, added in PyTorch's order. */
#include <math.h>

#include "ops/reduction/cpu/norm_sums.h"
#include "ops/reduction/cpu/reduction.h"
#include "tensor/parallel.h"

enum { MAX_PARTS = 64 };

typedef struct call {
  tocha_context *cx;
  const tocha_reduce_args *args;
  const tocha_norm_sums_loops *loops;
  double p;
  bool doubles; /* elements are float64 */
  int64_t item;
  double *norms;
} call;

static tocha_stop stop_of(const call *c) { return &c->cx->interrupted; }

/* Returns a + b, computed in the type of the elements. */
static double added(const call *c, double a, double b) {
  return c->doubles ? a + b : (double)((float)a + (float)b);
}

/* Returns the sum of |x|, x^2 or |x|^p over n elements. */
static double sum_of(const call *c, const char *in, int64_t n) {
  if (c->p == 1) return c->loops->sizes(in, n, stop_of(c));
  if (c->p == 2) return c->loops->squares(in, n, stop_of(c));
  return c->loops->powers(in, n, c->p, stop_of(c));
}

typedef struct part_call {
  const call *c;
  const char *in;
  int64_t part;
  double sums[MAX_PARTS];
} part_call;

static void sum_part(void *user, int64_t begin, int64_t end) {
  part_call *p = user;
  for (int64_t i = begin; i < end; i++) {
    int64_t at = i * p->part, left = p->c->args->count - at;
    p->sums[i] =
        left <= 0 ? 0 : sum_of(p->c, p->in + at * p->c->item, left < p->part ? left : p->part);
  }
}

/* Returns the sum of a row. A single long row is divided among the threads. */
static double sum_row(const call *c, const char *in) {
  int64_t n = c->args->count, threads = c->cx->threads < MAX_PARTS ? c->cx->threads : MAX_PARTS;
  int64_t minimum = c->p == 2 ? 2 * TOCHA_GRAIN : TOCHA_GRAIN, together = c->p == 2 ? 16 : 1;
  if (c->args->outputs > 1 || threads < 2 || n < minimum) return sum_of(c, in, n);
  int64_t part = ((n + threads - 1) / threads + together - 1) / together * together;
  part_call p = {.c = c, .in = in, .part = part};
  tocha_parallel_for(c->cx, threads, 1, sum_part, &p);
  double total = 0;
  for (int64_t i = 0; i < threads; i++) total = added(c, total, p.sums[i]);
  return total;
}

static double norm_of(const call *c, const char *in) {
  double sum = sum_row(c, in);
  if (c->p == 1) return sum;
  if (c->p == 2) return c->doubles ? sqrt(sum) : (double)sqrtf((float)sum);
  return c->doubles ? pow(sum, 1 / c->p) : (double)powf((float)sum, 1 / (float)c->p);
}

/* Writes the norms of rows begin..end of in (outputs, count). */
static void run_rows(void *user, int64_t begin, int64_t end) {
  const call *c = user;
  for (int64_t r = begin; r < end; r++)
    c->norms[r] = norm_of(c, (const char *)c->args->in + r * c->args->count * c->item);
}

bool tocha_cpu_norm(tocha_context *cx, const tocha_reduce_args *args, double *norms) {
  call c = {.cx = cx,
            .args = args,
            .loops = tocha_norm_sums_loops_table[cx->isa][args->compute],
            .p = args->number,
            .doubles = args->compute == TOCHA_FLOAT64,
            .item = (int64_t)tocha_dtype_size((tocha_dtype)args->compute),
            .norms = norms};
  return tocha_parallel_for(cx, args->outputs, TOCHA_GRAIN / (args->count + 1) + 1, run_rows, &c);
}
