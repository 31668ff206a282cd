/* philox.c: the host's side of a GPU's generator: a seed, and an offset that counts the words
 * that every thread has drawn. Kernels compute the numbers (cuda/random). */
#include <string.h>
#include <time.h>

#include "platform/platform.h"
#include "random/random.h"
#include "tocha/random.h"

void tocha_philox_seed(tocha_generator *g, int device, uint64_t seed) {
  memset(g, 0, sizeof *g);
  g->philox = true;
  g->device = (int16_t)device;
  g->initial_seed = seed;
}

void tocha_generator_reseed(tocha_generator *g, uint64_t seed) {
  if (!g) return;
  if (g->philox)
    tocha_philox_seed(g, g->device, seed);
  else
    tocha_generator_seed(g, seed);
}

uint64_t tocha_random_seed(void) {
  uint64_t seed;
  if (!platform_random_bytes(&seed, sizeof seed))
    seed = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15u ^ (uint64_t)clock();
  return seed & INT64_MAX;
}

static void put_word(uint8_t *to, uint64_t value) {
  for (int i = 0; i < 8; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_word(const uint8_t *from) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)from[i] << 8 * i;
  return value;
}

void tocha_philox_get_state(const tocha_generator *g, void *state) {
  put_word(state, g->initial_seed);
  put_word((uint8_t *)state + 8, g->offset);
}

bool tocha_philox_set_state(tocha_generator *g, const void *state, size_t size) {
  const uint8_t *bytes = state;
  uint64_t offset = size == TOCHA_PHILOX_STATE ? get_word(bytes + 8) : 0;
  if (!state || (size != TOCHA_PHILOX_STATE && size != 8) || offset % 4 != 0) return false;
  tocha_philox_seed(g, g->device, get_word(bytes));
  g->offset = offset;
  return true;
}
