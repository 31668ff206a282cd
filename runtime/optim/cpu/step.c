/* step.c: the loops of step.h. The rules come from optimizers.lua. For half precision, arrays and
 * arithmetic are float32 and every operation is rounded, as in PyTorch's steps made of operators.
 * The last elements, which do not fill two vectors of the type, use different loops there, and so
 * here. */
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

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__) /* arrays are equal or disjoint, never shifted */
#define STEP_INDEPENDENT _Pragma("GCC ivdep")
#else /* clang compares the addresses first */
#define STEP_INDEPENDENT
#endif

/* The rules work on vectors if the instruction set has vector functions for T, else on single
 * elements. */
#include "tensor/math/typed_vector.h"
#ifdef TOCHA_NO_VECTORS_OF_T
typedef T step_value;
#else
typedef V step_value __attribute__((aligned(sizeof(T)), may_alias));
#define STEP_NUMBER(x) ((T){0} + (x))
#define STEP_CHOOSE(which, yes, no) SELECT(which, yes, no)
#endif
#define STEP_SPREAD(x) ((step_value){0} + (x))
#define STEP_AT(array) ((step_value *)(uintptr_t) & (array)[i])
#if defined(__wasm__) && !defined(TOCHA_NO_VECTORS_OF_T)
/* Averages of a gradient that has vanished become subnormal numbers, of which a processor is slow:
 * Adam's step would take 40 times as long. A page cannot set the mode that spares this, so they
 * become 0. */
static inline V without_subnormals(V x) {
  const V infinity = WIDE(INFINITY); /* the bits of the exponent */
  __typeof__(x < x) bits, exponent;
  memcpy(&bits, &x, sizeof bits);
  memcpy(&exponent, &infinity, sizeof exponent);
  bits &= (bits & exponent) > 0;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#define STEP_AVERAGE(x) without_subnormals(x)
#endif
#define T step_value
#include "optim/rules.h"
#undef T

/* The last elements, which do not fill a vector. */
typedef struct step_rest {
  step_value p, g, s[TOCHA_STEP_STATES];
} step_rest;

static inline step_rest load_rest(const T *p, const T *g, T *const *s, int64_t i, int64_t n) {
  step_rest rest;
  size_t bytes = (size_t)(n - i) * sizeof(T);
  memset(&rest, 0, sizeof rest);
  memcpy(&rest.p, p + i, bytes);
  memcpy(&rest.g, g + i, bytes);
  for (int k = 0; k < TOCHA_STEP_STATES; k++) memcpy(&rest.s[k], s[k] + i, bytes);
  return rest;
}

/* Stores the last elements. An unused state may have the address of another array, so unchanged
 * states are not written. */
static inline void store_rest(const step_rest *rest, const step_rest *was, T *p, T *const *s,
                              int64_t i, int64_t n) {
  size_t bytes = (size_t)(n - i) * sizeof(T);
  for (int k = 0; k < TOCHA_STEP_STATES; k++)
    if (memcmp(&rest->s[k], &was->s[k], bytes) != 0) memcpy(s[k] + i, &rest->s[k], bytes);
  memcpy(p + i, &rest->p, bytes);
}

#include "optim/loops.h"

/* Elements that stay in the L1 cache between two passes. */
enum { BLOCK = 512 };

/* Number of elements that fill two vectors of the type. */
#ifdef __AVX512F__
enum { PAIR = 64 };
#elif defined(__AVX2__)
enum { PAIR = 32 };
#else
enum { PAIR = 0 };
#endif

/* Returns how many of n elements are the last ones. */
static inline int64_t last_ones(int64_t n) {
#ifdef STEP_IN_HALF
  return PAIR ? n % PAIR : n;
#else
  (void)n;
  return 0;
#endif
}

static inline T decayed(T g, T p, T decay, unsigned single) {
#ifdef STEP_IN_HALF
  return tocha_step_add(g, p, decay, single);
#else
  (void)single;
  return FMA(p, decay, g);
#endif
}

/* Does the work that precedes every rule (update.h). Returns the gradient for the rule: g itself,
 * or a changed copy in `scratch`. */
static const T *prepare(T *scratch, const T *g, T *p, int64_t n, const tocha_update *update,
                        unsigned single) {
  const T sign = update->maximize ? -1 : 1, decay = (T)update->weight_decay;
  const T shrink = (T)update->shrink;
  if (update->shrink != 1)
    for (int64_t i = 0; i < n; i++) p[i] = STEP_ROUND(p[i] * shrink);
  if (!update->maximize && update->weight_decay == 0) return g;
  for (int64_t i = 0; i < n; i++) scratch[i] = g[i] * sign;
  if (update->weight_decay != 0)
    for (int64_t i = 0; i < n; i++) scratch[i] = decayed(scratch[i], p[i], decay, single);
  return scratch;
}

/* Runs the rule on the elements begin..end. single: 0 or STEP_SINGLE. */
static void run_part(int rule, T *p, const T *g, T *const *states, int64_t begin, int64_t end,
                     const T *numbers, const tocha_update *update, unsigned single) {
  T scratch[BLOCK], *s[TOCHA_STEP_STATES];
  const bool plain = !update->maximize && update->weight_decay == 0 && update->shrink == 1;
  const int64_t step = plain ? end - begin : BLOCK;
  for (int64_t at = begin; at < end; at += step) {
    int64_t count = end - at < step ? end - at : step;
    const T *seen = plain ? g + at : prepare(scratch, g + at, p + at, count, update, single);
    for (int k = 0; k < TOCHA_STEP_STATES; k++) s[k] = states[k] + at;
    rule_loops[rule](p + at, seen, s, count, numbers, update->flags | single);
  }
}

static void run(int rule, void *parameter, const void *gradient, void *const *states, int64_t n,
                const tocha_update *update) {
  T *s[TOCHA_STEP_STATES], numbers[TOCHA_STEP_NUMBERS];
  const int64_t whole = n - last_ones(n);
  for (int k = 0; k < TOCHA_STEP_NUMBERS; k++) numbers[k] = (T)update->numbers[k];
  for (int k = 0; k < TOCHA_STEP_STATES; k++) s[k] = states[k];
  run_part(rule, parameter, gradient, s, 0, whole, numbers, update, 0);
  run_part(rule, parameter, gradient, s, whole, n, numbers, update, STEP_SINGLE);
}

const tocha_step_loops TOCHA_LOOPS(step) = {run};
