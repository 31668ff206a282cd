/* kernels.c: the CPU's kernels of losses. */
#include "ops/loss/kernels.h"

#include "device/devices.h"
#include "dispatch/rounding.h"
#include "ops/loss/cpu/digits/bce.h"
#include "ops/loss/cpu/loss.h"
#include "ops/loss/cpu/nll_loss.h"
#include "ops/loss/loss.h"
#include "tensor/convert.h"
#include "tensor/iterator.h"

/* --- element by element ---------------------------------------------------------------------- */

enum { OPERANDS = 4, BLOCK = 512 /* elements that are converted at a time */ };

typedef struct loss_call {
  tocha_loss_args args;
  const tocha_loss_loops *loops;
  bool rounds;     /* bce.h computes the loss */
  atomic_uint bad; /* TOCHA_LOSS_BAD_* */
} loss_call;

static void run_direct(void *user, char *const *data, const int64_t *strides, int64_t n) {
  loss_call *c = user;
  const tocha_loss_args *a = &c->args;
  unsigned bad = c->loops->run(a->kind, a->order, a->p, a->norm, a->layout->operands == OPERANDS,
                               data, strides, n);
  if (bad) atomic_fetch_or(&c->bad, bad);
}

/* Computes n elements of operands whose dtype is not the loops', by converting blocks of them. */
static void run_converted(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const loss_call *c = user;
  const tocha_strided_layout *layout = c->args.layout;
  tocha_dtype type = c->args.compute;
  int64_t item = (int64_t)tocha_dtype_size(type), inner[OPERANDS];
  _Alignas(64) char blocks[OPERANDS][BLOCK * sizeof(double)];
  char *all[OPERANDS];
  for (int k = 0; k < layout->operands; k++) {
    all[k] = blocks[k];
    inner[k] = strides[k] == 0 ? 0 : item;
  }
  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t count = n - at < BLOCK ? n - at : BLOCK;
    for (int k = 1; k < layout->operands; k++)
      tocha_conversion(type, layout->dtype[k])(blocks[k], item, data[k] + at * strides[k],
                                               strides[k], strides[k] == 0 ? 1 : count);
    run_direct(user, all, inner, count);
    if (c->rounds) {
      const float *factor = layout->operands == OPERANDS ? (float *)(void *)blocks[3] : NULL;
      tocha_bce_by_steps(&c->args, (float *)(void *)blocks[0], (float *)(void *)blocks[1],
                         (float *)(void *)blocks[2], factor, inner, count);
    }
    tocha_conversion(layout->dtype[0], type)(data[0] + at * strides[0], strides[0], blocks[0], item,
                                             count);
  }
}

static bool loss(tocha_stream *stream, const tocha_loss_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  loss_call c = {.args = *args,
                 .loops = tocha_loss_loops_table[cx->isa][args->compute],
                 .rounds = tocha_bce_rounds_steps(cx, args)};
  bool direct = true;
  for (int k = 0; k < args->layout->operands; k++)
    direct = direct && args->layout->dtype[k] == args->compute;
  if (!tocha_run_layout(cx, args->layout, direct ? run_direct : run_converted, &c)) return false;
  if (c.bad) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "all elements of %s should be between 0 and 1",
               c.bad & TOCHA_LOSS_BAD_INPUT ? "input" : "target");
    if (c.bad & TOCHA_LOSS_BAD_INPUT)
      tocha_hint(cx, "take the sigmoid first, or binary_cross_entropy_with_logits");
  }
  return !c.bad;
}

/* --- negative log likelihood ----------------------------------------------------------------- */

static uint64_t nll_scratch(tocha_stream *stream, const tocha_nll_args *args) {
  (void)stream, (void)args;
  return 0;
}

static bool nll_loss(tocha_stream *stream, const tocha_nll_args *asked) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_nll_args own = *asked, *args = &own;
  own.given = (int8_t)tocha_step_dtype(cx, own.given);
  const tocha_nll_loss_loops *loops = tocha_nll_loss_loops_table[cx->isa][args->dtype];
  tocha_stop stop = &cx->interrupted;
  tocha_nll_bad bad = {false, 0};
  if (args->grad)
    loops->gradient(args, stop, &bad);
  else if (args->reduction == TOCHA_REDUCTION_NONE)
    loops->each(args, stop, &bad);
  else
    loops->total(args, stop, &bad);
  if (bad.found)
    tocha_fail(cx, TOCHA_INDEX_ERROR, "Target %lld is out of bounds.", (long long)bad.class),
        tocha_hint(cx, "class labels count from 0: there are %lld classes, 0 to %lld",
                   (long long)args->classes, (long long)args->classes - 1);
  return !bad.found && !tocha_interrupted(cx);
}

extern const tocha_loss_kernels tocha_cpu_loss;
const tocha_loss_kernels tocha_cpu_loss = {
    .loss = loss, .nll_scratch = nll_scratch, .nll_loss = nll_loss};
