/* kernels.c: the CPU's kernel of an optimizer step: one parameter after the other, each divided
 * among threads. */
#include "optim/kernels.h"

#include "device/devices.h"
#include "optim/cpu/step.h"
#include "tensor/parallel.h"

typedef struct pass {
  const tocha_step_args *args;
  const tocha_step_item *item;
  const tocha_step_loops *loops;
  size_t size; /* bytes of an element */
} pass;

static void run_range(void *user, int64_t begin, int64_t end) {
  const pass *p = user;
  size_t at = (size_t)begin * p->size;
  char *parameter = (char *)p->item->parameter + at;
  void *states[TOCHA_STEP_STATES];
  for (int k = 0; k < TOCHA_STEP_STATES; k++)
    states[k] = p->item->states[k] ? (char *)p->item->states[k] + at : parameter;
  p->loops->run(p->args->rule, parameter, (const char *)p->item->gradient + at, states, end - begin,
                &p->args->update);
}

static bool step(tocha_stream *stream, const tocha_step_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  pass p = {.args = args,
            .loops = tocha_step_loops_table[cx->isa][args->rounding],
            .size = tocha_dtype_size((tocha_dtype)args->dtype)};
  for (int i = 0; i < args->count; i++) {
    p.item = &args->items[i];
    if (!tocha_parallel_for(cx, p.item->numel, TOCHA_GRAIN, run_range, &p)) return false;
  }
  return true;
}

extern const tocha_optim_kernels tocha_cpu_optim;
const tocha_optim_kernels tocha_cpu_optim = {step};
