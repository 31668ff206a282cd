/* step.c: the loops of step.h. The rules are optimizers.lua's. Those for half precision have arrays and
 * arithmetic of float32, and round after every operation, as PyTorch's steps made of operators do. */
#include "tensor/math/half.h"

#if defined(TOCHA_LOOPS_float16)
#define STEP_ROUND(x) tocha_half_to_float(tocha_float_to_half(x))
#elif defined(TOCHA_LOOPS_bfloat16)
#define STEP_ROUND(x) tocha_bfloat16_to_float(tocha_float_to_bfloat16(x))
#endif
#ifdef STEP_ROUND
#define STEP_IN_HALF
#undef TOCHA_LOOPS_C_TYPE
#define TOCHA_LOOPS_C_TYPE float
#endif
#include "optim/cpu/step.h"

#if defined(__GNUC__) && !defined(__clang__) /* arrays are the same or apart, never shifted */
#define STEP_INDEPENDENT _Pragma("GCC ivdep")
#else /* clang looks at the addresses first */
#define STEP_INDEPENDENT
#endif

#include "optim/loops.h"

/* What stays in the first cache between two passes. */
enum { BLOCK = 512 };

/* What comes before every rule (update.h). The gradient as the rule sees it, in `room` where it is
 * another one. */
static const T *prepare(T *room, const T *g, T *p, int64_t n, const tocha_update *update) {
  const T sign = update->maximize ? -1 : 1, decay = (T)update->weight_decay;
  const T shrink = (T)update->shrink;
  if (update->shrink != 1)
    for (int64_t i = 0; i < n; i++) p[i] = STEP_ROUND(p[i] * shrink);
  if (!update->maximize && update->weight_decay == 0) return g;
  for (int64_t i = 0; i < n; i++) room[i] = g[i] * sign;
  if (update->weight_decay != 0)
    for (int64_t i = 0; i < n; i++) room[i] = tocha_step_add(room[i], p[i], decay);
  return room;
}

static void run(int rule, void *parameter, const void *gradient, void *const *states, int64_t n,
                const tocha_update *update) {
  T *p = parameter, *s[TOCHA_STEP_STATES], numbers[TOCHA_STEP_NUMBERS], room[BLOCK];
  const T *g = gradient;
  for (int k = 0; k < TOCHA_STEP_NUMBERS; k++) numbers[k] = (T)update->numbers[k];
  for (int k = 0; k < TOCHA_STEP_STATES; k++) s[k] = states[k];
  if (!update->maximize && update->weight_decay == 0 && update->shrink == 1) {
    rule_loops[rule](p, g, s, n, numbers, update->flags);
    return;
  }
  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t count = n - at < BLOCK ? n - at : BLOCK;
    const T *seen = prepare(room, g + at, p + at, count, update);
    rule_loops[rule](p + at, seen, s, count, numbers, update->flags);
    for (int k = 0; k < TOCHA_STEP_STATES; k++) s[k] += count;
  }
}

const tocha_step_loops TOCHA_LOOPS(step) = {run};
