/* random_test.c: the raw random generator (core/random.h) without Lua and without PyTorch: the
 * published test value of mt19937, runs against single draws, states, and samples against the
 * moments of their distributions. Bits against PyTorch are compared by the golden specs. */

#include <stdatomic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random/random.h"

static const atomic_int never;

enum { MANY = 200000 };

/* C++11, 29.6.5 [rand.predef]: the 10000th invocation of a default mt19937 (seed 5489). */
static void test_engine(void) {
  tocha_generator g;
  uint32_t last = 0;
  tocha_generator_seed(&g, 5489);
  for (int i = 0; i < 10000; i++) last = tocha_generator_next32(&g);
  EXPECT(last == 4123659995u, "10000th word of mt19937");
  EXPECT(tocha_generator_initial_seed(&g) == 5489, "initial seed");
}

/* A run must draw the words that single draws would, wherever in the state it begins and ends. */
static void test_runs(void) {
  static float run32[2000];
  static double run64[2000];
  static int64_t integers[2000];
  for (int skip = 0; skip < 1300; skip += 31) {
    for (size_t n = 0; n < 2000; n = 2 * n + 1) {
      tocha_generator a, b;
      tocha_generator_seed(&a, (uint64_t)skip);
      for (int i = 0; i < skip; i++) tocha_generator_next32(&a);
      b = a;
      tocha_random_uniform_float32(&a, run32, n, 0, 1);
      for (size_t i = 0; i < n; i++)
        EXPECT(run32[i] == (float)(tocha_generator_next32(&b) & 0xffffff) / 16777216.0f,
               "float32 run equals single draws");
      tocha_random_uniform_float64(&a, run64, n, 0, 1);
      for (size_t i = 0; i < n; i++)
        EXPECT(run64[i] == tocha_generator_next_unit64(&b), "float64 run equals single draws");
      tocha_random_integers(&a, integers, n, -3, ((uint64_t)1 << 40) + 3, true);
      for (size_t i = 0; i < n; i++)
        EXPECT(integers[i] == (int64_t)(tocha_generator_next64(&b) % (((uint64_t)1 << 40) + 3)) - 3,
               "integers equal single draws");
      EXPECT(tocha_generator_next32(&a) == tocha_generator_next32(&b), "same words were drawn");
    }
  }
}

static void test_state(void) {
  tocha_generator g, h;
  size_t size = tocha_generator_state_size();
  uint8_t *state = malloc(size), *again = malloc(size);
  if (!state || !again) exit(2);
  tocha_generator_seed(&g, 7);
  tocha_random_normal_sample(&g, 0, 1);
  tocha_generator_get_state(&g, state);
  tocha_generator_seed(&h, 8);
  EXPECT(tocha_generator_set_state(&h, state, size), "its own state is accepted");
  tocha_generator_get_state(&h, again);
  EXPECT(memcmp(state, again, size) == 0, "the state comes back");
  for (int i = 0; i < 2000; i++)
    EXPECT(tocha_random_normal_sample(&g, 0, 1) == tocha_random_normal_sample(&h, 0, 1),
           "the future comes back, the pending normal first");

  tocha_generator_get_state(&g, again);
  EXPECT(!tocha_generator_set_state(&g, state, size - 1), "a short state is refused");
  EXPECT(!tocha_generator_set_state(&g, NULL, size), "no state is refused");
  memset(state + 8, 0, 4);
  EXPECT(!tocha_generator_set_state(&g, state, size), "left = 0 is refused");
  tocha_generator_get_state(&g, state);
  state[8] = 500 & 0xff, state[9] = 500 >> 8, state[16] = 126, state[17] = 0;
  EXPECT(!tocha_generator_set_state(&g, state, size), "499 words from the 126th on are refused");
  state[16] = 125;
  EXPECT(tocha_generator_set_state(&h, state, size), "499 words from the 125th on are accepted");
  memset(state, 0xff, size);
  EXPECT(!tocha_generator_set_state(&g, state, size), "all ones are refused");
  tocha_generator_get_state(&g, state);
  EXPECT(memcmp(state, again, size) == 0, "a refused state changes nothing");

  /* Whatever bytes are accepted, drawing stays within the words. */
  tocha_generator_seed(&h, 1);
  for (int i = 0; i < 20000; i++) {
    tocha_generator_get_state(&g, state);
    for (int k = 8; k < 24; k++)
      if (tocha_generator_next32(&h) % 4 == 0) state[k] = (uint8_t)tocha_generator_next32(&h);
    if (!tocha_generator_set_state(&g, state, size)) continue;
    for (int k = 0; k < 700; k++) tocha_generator_next32(&g);
  }
  free(state);
  free(again);
}

static void test_permutation(void) {
  int64_t out[100];
  tocha_generator g;
  tocha_generator_seed(&g, 3);
  for (size_t n = 0; n <= 100; n++) {
    bool seen[100] = {false};
    tocha_random_permutation(&g, out, n, &never);
    for (size_t i = 0; i < n; i++) {
      EXPECT(out[i] >= 0 && out[i] < (int64_t)n && !seen[out[i]], "a permutation");
      if (out[i] >= 0 && out[i] < (int64_t)n) seen[out[i]] = true;
    }
  }
}

/* |mean of n - m| within 5 standard errors: wrong for one right generator in two million. */
static void expect_mean(const double *x, size_t n, double m, double deviation, const char *what) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  EXPECT(fabs(sum / (double)n - m) < 5 * deviation / sqrt((double)n), what);
}

static void test_moments(void) {
  static double x[MANY];
  static float f[MANY];
  static uint8_t u[MANY];
  tocha_generator g;
  tocha_generator_seed(&g, 11);
  tocha_random_normal_float64(&g, x, MANY, 2, 3);
  expect_mean(x, MANY, 2, 3, "normal float64: mean");
  for (size_t i = 0; i < MANY; i++) x[i] = (x[i] - 2) * (x[i] - 2);
  expect_mean(x, MANY, 9, 9 * sqrt(2.0), "normal float64: variance");
  tocha_random_normal_float32(&g, f, MANY - 5, 2, 3);
  for (size_t i = 0; i < MANY - 5; i++) x[i] = f[i];
  expect_mean(x, MANY - 5, 2, 3, "normal float32: mean");
  for (size_t i = 0; i < MANY - 5; i++) x[i] = (x[i] - 2) * (x[i] - 2);
  expect_mean(x, MANY - 5, 9, 9 * sqrt(2.0), "normal float32: variance");
  tocha_random_exponential_float64(&g, x, MANY, 4);
  expect_mean(x, MANY, 0.25, 0.25, "exponential: mean");
  tocha_random_geometric_float64(&g, x, MANY, 0.25);
  expect_mean(x, MANY, 4, sqrt(12.0), "geometric: mean");
  tocha_random_bernoulli_scalar(&g, 0.3, u, MANY);
  for (size_t i = 0; i < MANY; i++) x[i] = u[i];
  expect_mean(x, MANY, 0.3, sqrt(0.21), "bernoulli: mean");
}

static void test_multinomial(void) {
  static const double weights[8] = {1, 0, 2, 0, 3, 0, 0, 4};
  static double ones[MANY], workspace[8];
  static int64_t drawn[MANY];
  int64_t out[8];
  tocha_generator g;
  tocha_generator_seed(&g, 5);
  for (int round = 0; round < 200; round++) {
    bool seen[8] = {false};
    tocha_random_multinomial_float64(&g, out, weights, 2, 4, 2, false, workspace, &never);
    EXPECT(out[0] != out[1] && out[0] % 2 == 0 && out[1] % 2 == 0, "row 0: both positive ones");
    tocha_random_multinomial_float64(&g, out, weights, 1, 8, 8, false, workspace, &never);
    for (int i = 0; i < 8; i++) {
      EXPECT(out[i] >= 0 && out[i] < 8 && !seen[out[i] & 7], "without replacement, each once");
      seen[out[i] & 7] = true;
    }
  }
  tocha_random_multinomial_float64(&g, drawn, weights, 1, 8, MANY, true, workspace, &never);
  for (size_t i = 0; i < MANY; i++) {
    EXPECT(weights[drawn[i] & 7] > 0, "with replacement, no zero weight");
    ones[i] = drawn[i] == 7;
  }
  expect_mean(ones, MANY, 0.4, sqrt(0.24), "with replacement: share of the last category");
}

int main(void) {
  test_engine();
  test_runs();
  test_state();
  test_permutation();
  test_moments();
  test_multinomial();
  return finish();
}
