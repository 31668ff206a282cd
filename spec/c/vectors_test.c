/* vectors_test.c: the errors of our vector functions (tensor/math/vectors/functions.h), in units of the
 * last place (ULP) of the true value, on each instruction set of this processor. The C library's long
 * double functions stand for the true values. VECTORS_TEST=print prints the errors. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/isa.h"
#include "vectors/functions.h"

enum { COUNT = 1 << 16 }; /* arguments of a function */

/* Returns the next number of a linear congruential generator (Knuth, MMIX). */
static uint64_t next_word(void) {
  static uint64_t state = 42;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state ^ state >> 29;
}
static double next_between(double low, double high) {
  return low + (high - low) * ((double)(next_word() >> 11) * 0x1p-53);
}

typedef long double real_function(long double x, long double y);
#define TRUE_VALUE(name)                                                                           \
  static long double true_##name(long double x, long double y) {                                   \
    (void)y;                                                                                       \
    return name##l(x);                                                                             \
  }
TRUE_VALUE(exp)
TRUE_VALUE(exp2)
TRUE_VALUE(expm1)
TRUE_VALUE(tanh)
TRUE_VALUE(log)
TRUE_VALUE(log2)
TRUE_VALUE(log10)
TRUE_VALUE(log1p)
TRUE_VALUE(atanh)
TRUE_VALUE(sin)
TRUE_VALUE(cos)
TRUE_VALUE(tan)
TRUE_VALUE(asin)
TRUE_VALUE(acos)
TRUE_VALUE(atan)
TRUE_VALUE(erf)
TRUE_VALUE(erfc)

/* A function, the interval from which most of its arguments are, the same for the second argument,
 * and the largest errors in ULP. */
static const struct {
  const char *name;
  real_function *value;
  double low, high, other_low, other_high, float_limit, double_limit;
} functions[] = {
    {"exp", true_exp, -20, 20, 0, 0, 1, 1},   {"exp2", true_exp2, -20, 20, 0, 0, 1, 1},
    {"expm1", true_expm1, -3, 3, 0, 0, 1, 1}, {"tanh", true_tanh, -4, 4, 0, 0, 1, 1},
    {"log", true_log, 0, 4, 0, 0, 1, 1},      {"log2", true_log2, 0, 4, 0, 0, 1, 1},
    {"log10", true_log10, 0, 4, 0, 0, 1, 1},  {"log1p", true_log1p, -1, 3, 0, 0, 1, 1},
    {"atanh", true_atanh, -1, 1, 0, 0, 1, 1}, {"sin", true_sin, -30, 30, 0, 0, 1, 1},
    {"cos", true_cos, -30, 30, 0, 0, 1, 1},   {"tan", true_tan, -30, 30, 0, 0, 1, 1},
    {"asin", true_asin, -1, 1, 0, 0, 1, 1},   {"acos", true_acos, -1, 1, 0, 0, 1, 1},
    {"atan", true_atan, -5, 5, 0, 0, 1, 1},   {"atan2", atan2l, -5, 5, -5, 5, 1, 1},
    {"pow", powl, 0, 5, -20, 20, 1, 1},       {"hypot", hypotl, -5, 5, -5, 5, 1, 1},
    {"erf", true_erf, -4, 4, 0, 0, 1, 1},     {"erfc", true_erfc, -6, 28, 0, 0, 1, 1.25},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The error that reference values may have, in ULP of a double: musl's functions of a 128-bit long double are those of
 * double. */
#ifdef __wasm__
static const double true_error = 1.5;
#else
static const double true_error = 0;
#endif

/* Returns the error of `result` in ULP: infinite if it is NaN, infinite or a zero of a sign where the true
 * value is not. A true value beyond the largest number may be either of it and infinity. */
static double ulps(double result, long double value, double largest, int smallest_exponent,
                   int digits) {
  bool same_sign = !signbit(result) == !signbit(value);
  if (isnan(value) || isnan(result)) return isnan(value) && isnan(result) ? 0 : (double)INFINITY;
  if (fabsl(value) > largest || isinf(result)) {
    long double unit = largest * ldexpl(1, -digits), beyond = fabsl(value) - largest;
    bool holds = isinf(result) ? beyond > -unit : beyond < unit;
    return same_sign && holds ? 0 : (double)INFINITY;
  }
  if (value == 0) return result == 0 && same_sign ? 0 : (double)INFINITY;
  int exponent;
  frexpl(value, &exponent);
  if (exponent < smallest_exponent) exponent = smallest_exponent;
  return (double)(fabsl(result - value) / ldexpl(1, exponent - digits));
}
static double float_ulps(float result, long double value) {
  return ulps((double)result, value, FLT_MAX, FLT_MIN_EXP, FLT_MANT_DIG);
}
static double double_ulps(double result, long double value) {
  return ulps(result, value, DBL_MAX, DBL_MIN_EXP, DBL_MANT_DIG);
}

/* Values at which functions have corners, and around which reductions of arguments change. */
static const double edges[] = {
    0.0,        1.0,        0.5,           2.0,           3.0,      0.25,       0x1p-10,
    0x1p-30,    0x1p-60,    0x1p-126,      0x1p-149,      0x1p-140, 0x1p-1022,  0x1p-1074,
    0x1p-1040,  0x1p20,     0x1p22,        0x1p24,        0x1p52,   0x1p60,     0x1p127,
    0x1p1000,   87.0,       88.7228317,    88.722839,     103.97,   104.0,      708.0,
    709.78271,  709.79,     745.13,        745.2,         127.0,    128.0,      149.0,
    150.0,      1023.0,     1024.0,        1074.0,        1075.0,   0.41421356, 2.41421356,
    0.70710678, 1.41421356, 1.57079632679, 3.14159265359, 1e5,      1e10};
enum { EDGES = sizeof edges / sizeof *edges };

static double edge(int i) {
  if (i < 4 * EDGES) {
    double value = edges[i / 4];
    return i % 4 == 0   ? value
           : i % 4 == 1 ? -value
           : i % 4 == 2 ? nextafter(value, 3)
                        : -nextafter(value, -3);
  }
  return i % 3 == 0 ? (double)NAN : i % 3 == 1 ? (double)INFINITY : -(double)INFINITY;
}

static float float_x[COUNT], float_y[COUNT], float_result[COUNT], float_again[COUNT];
static double double_x[COUNT], double_y[COUNT], double_result[COUNT], double_again[COUNT];
static long double true_of_float[COUNT], true_of_double[COUNT];

/* Writes arguments: edges in all pairs, any bits, and numbers of the function's interval. */
static void fill(int f) {
  const int kinds = 4 * EDGES + 3;
  for (int i = 0; i < COUNT; i++) {
    uint64_t a = next_word(), b = next_word();
    bool bits = i % 4 == 1;
    double_x[i] = i % 4 == 0 ? edge((int)(a % (uint64_t)kinds))
                             : next_between(functions[f].low, functions[f].high);
    double_y[i] = i % 4 < 2 && b % 2
                      ? edge((int)(b / 2 % (uint64_t)kinds))
                      : next_between(functions[f].other_low, functions[f].other_high);
    if (b % 8 == 0 && i % 4 > 1) double_y[i] = nearbyint(double_y[i]), double_x[i] = -double_x[i];
    float_x[i] = (float)double_x[i];
    float_y[i] = (float)double_y[i];
    if (bits) {
      uint32_t word = (uint32_t)(a >> 32);
      memcpy(double_x + i, &a, sizeof a);
      memcpy(float_x + i, &word, sizeof word);
    }
    if (isnan(float_x[i])) float_x[i] = NAN; /* a quiet one */
    if (isnan(double_x[i])) double_x[i] = (double)NAN;
    true_of_float[i] = functions[f].value((long double)float_x[i], (long double)float_y[i]);
    true_of_double[i] = functions[f].value((long double)double_x[i], (long double)double_y[i]);
  }
}

/* Tests the errors of a function against its limits. */
static void test_errors(int f, const struct vector_function *function, const char *isa) {
  char what[160];
  int at = 0, at_double = 0;
  bool prints = getenv("VECTORS_TEST") != NULL;
  double most = 0, most_double = 0;
  function->floats(float_x, float_y, float_result, COUNT);
  function->doubles(double_x, double_y, double_result, COUNT);
  for (int i = 0; i < COUNT; i++) {
    double error = float_ulps(float_result[i], true_of_float[i]);
    double double_error = double_ulps(double_result[i], true_of_double[i]);
    if (error > most) most = error, at = i;
    if (double_error > most_double) most_double = double_error, at_double = i;
  }
  snprintf(what, sizeof what, "%s, %s, float: %.3f ULP at %.9g, %.9g", isa, function->name, most,
           (double)float_x[at], (double)float_y[at]);
  EXPECT(most <= functions[f].float_limit, what);
  if (prints) puts(what);
  snprintf(what, sizeof what, "%s, %s, double: %.3f ULP at %.17g, %.17g", isa, function->name,
           most_double, double_x[at_double], double_y[at_double]);
  EXPECT(most_double <= functions[f].double_limit + true_error, what);
  if (prints) puts(what);
}

/* Tests that a lane's result is the same whatever is in the other lanes: in the second run, all arguments
 * lie in other lanes, beside others. */
static void test_neighbours(const struct vector_function *function, const char *isa) {
  char what[80];
  static float x[COUNT], y[COUNT];
  static double wide_x[COUNT], wide_y[COUNT];
  int other = 0, other_double = 0;
  for (int i = 0; i < COUNT; i++) {
    int from = (int)((uint32_t)i * 40503u % COUNT); /* an odd factor reaches all */
    x[i] = float_x[from], y[i] = float_y[from];
    wide_x[i] = double_x[from], wide_y[i] = double_y[from];
  }
  function->floats(x, y, float_again, COUNT);
  function->doubles(wide_x, wide_y, double_again, COUNT);
  for (int i = 0; i < COUNT; i++) {
    int from = (int)((uint32_t)i * 40503u % COUNT);
    other += float_again[i] != float_result[from] && float_result[from] == float_result[from];
    other_double +=
        double_again[i] != double_result[from] && double_result[from] == double_result[from];
  }
  snprintf(what, sizeof what, "%s, %s: %d floats and %d doubles depend on other lanes", isa,
           function->name, other, other_double);
  EXPECT(other == 0 && other_double == 0, what);
}

/* VECTORS_TEST_ISAS, from CMake: ISA(...) for each instruction set of the build */
#define ISA(number, name) {TOCHA_ISA_##number, #name, vector_functions_##name},

int main(void) {
  static const struct {
    tocha_isa isa;
    const char *name;
    const struct vector_function *functions;
  } sets[] = {VECTORS_TEST_ISAS};
  for (int f = 0; f < FUNCTIONS; f++) {
    fill(f);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
      if (tocha_best_isa(sets[s].isa) != sets[s].isa || !sets[s].functions->name) continue;
      EXPECT(strcmp(sets[s].functions[f].name, functions[f].name) == 0, functions[f].name);
      test_errors(f, sets[s].functions + f, sets[s].name);
      test_neighbours(sets[s].functions + f, sets[s].name);
    }
  }
  return finish();
}
