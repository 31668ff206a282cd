/* mt19937.c: mt19937, its state in PyTorch's layout, and the draws that need no transcendental
 * function: uniform, integers, permutations, bernoulli. random.h describes them.
 *
 * Generator: M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally
 * equidistributed uniform pseudo-random number generator", ACM TOMACS 8 (1998); seeding as in
 * their mt19937ar of 2002. Fills take a run of state words at a time, so that tempering and
 * scaling are plain loops over arrays. */

#include "random/random.h"

#include <math.h>
#include <string.h>

#include "random/simd.h"
#include "tocha/random.h"

enum {
  STATE_WORDS = TOCHA_GENERATOR_WORDS,
  SHIFT_WORDS = 397,
  STATE_BYTES = 5056,
  OFFSET_SEED = 0,
  OFFSET_LEFT = 8,
  OFFSET_SEEDED = 12,
  OFFSET_NEXT = 16,
  OFFSET_WORDS = 24,
  OFFSET_NORMAL = OFFSET_WORDS + 8 * STATE_WORDS + 8, /* a double left 0 precedes and follows it */
  OFFSET_NORMAL_VALID = OFFSET_NORMAL + 16,
  OFFSET_FLOAT = 5048,
  OFFSET_FLOAT_VALID = 5052
};

/* ---- the engine ---------------------------------------------------------------------------- */

void tocha_generator_seed(tocha_generator *g, uint64_t seed) {
  memset(g, 0, sizeof *g);
  g->initial_seed = seed;
  g->left = 1;
  g->words[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < STATE_WORDS; i++) {
    uint32_t before = g->words[i - 1];
    g->words[i] = 1812433253u * (before ^ (before >> 30)) + i;
  }
}

uint64_t tocha_generator_initial_seed(const tocha_generator *g) { return g ? g->initial_seed : 0; }

static inline uint32_t twisted(uint32_t upper, uint32_t lower, uint32_t far) {
  uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7fffffffu);
  return far ^ (mixed >> 1) ^ ((0u - (lower & 1u)) & 0x9908b0dfu);
}

static TOCHA_INLINE void twist_all(uint32_t *w) {
  for (int i = 0; i < STATE_WORDS - SHIFT_WORDS; i++)
    w[i] = twisted(w[i], w[i + 1], w[i + SHIFT_WORDS]);
  for (int i = STATE_WORDS - SHIFT_WORDS; i < STATE_WORDS - 1; i++)
    w[i] = twisted(w[i], w[i + 1], w[i + SHIFT_WORDS - STATE_WORDS]);
  w[STATE_WORDS - 1] = twisted(w[STATE_WORDS - 1], w[0], w[SHIFT_WORDS - 1]);
}

static void twist_all_plain(uint32_t *w) { twist_all(w); }

TOCHA_FMA_TARGET
static void twist_all_fma(uint32_t *w) { twist_all(w); }

void tocha_generator_refill(tocha_generator *g) {
  if (tocha_cpu_has_fma())
    twist_all_fma(g->words);
  else
    twist_all_plain(g->words);
  g->left = STATE_WORDS + 1;
  g->next = 0;
}

/* Takes up to `wanted` (> 0) untempered words out of the state, and sets *taken to their number. */
static const uint32_t *take_words(tocha_generator *g, size_t wanted, size_t *taken) {
  if (g->left <= 1) tocha_generator_refill(g);
  size_t available = (size_t)g->left - 1;
  if (available > wanted) available = wanted;
  const uint32_t *words = g->words + g->next;
  g->left -= (int32_t)available;
  g->next += (uint32_t)available;
  *taken = available;
  return words;
}

/* Takes up to `wanted` (> 0) pairs of words, and sets *taken to their number. A pair that a
 * refill cuts in two is assembled in `cut`, which must stay valid as long as the result is used. */
static const uint32_t *take_pairs(tocha_generator *g, size_t wanted, uint32_t cut[2],
                                  size_t *taken) {
  size_t words;
  if (g->left == 2) {
    cut[0] = take_words(g, 1, &words)[0];
    cut[1] = take_words(g, 1, &words)[0];
    *taken = 1;
    return cut;
  }
  size_t limit = wanted < STATE_WORDS / 2 ? 2 * wanted : STATE_WORDS;
  if (g->left > 1 && (size_t)(g->left - 1) < limit) limit = ((size_t)g->left - 1) & ~(size_t)1;
  const uint32_t *pairs = take_words(g, limit, &words);
  *taken = words / 2;
  return pairs;
}

static inline uint64_t pair_value(const uint32_t *pair) {
  return (uint64_t)tocha_generator_temper(pair[0]) << 32 | tocha_generator_temper(pair[1]);
}

/* ---- the state as bytes -------------------------------------------------------------------- */

size_t tocha_generator_state_size(void) { return STATE_BYTES; }

/* Writes a number in little-endian order on every machine, because PyTorch's state is a C
 * structure of a little-endian machine. */
static void put_bytes(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

/* Does the same with 4 bytes, in a form that the compiler turns into one store. */
static inline void put_word(uint8_t *to, uint32_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
  to[2] = (uint8_t)(value >> 16);
  to[3] = (uint8_t)(value >> 24);
}

static uint64_t get_bytes(const uint8_t *from, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)from[i] << 8 * i;
  return value;
}

static double get_double(const uint8_t *from) {
  uint64_t bits = get_bytes(from, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void tocha_generator_get_state(const tocha_generator *g, void *state) {
  uint8_t *bytes = state;
  uint64_t normal_bits;
  uint32_t float_bits;
  memset(bytes, 0, STATE_BYTES);
  put_bytes(bytes + OFFSET_SEED, g->initial_seed, 8);
  put_bytes(bytes + OFFSET_LEFT, (uint64_t)g->left, 4);
  put_bytes(bytes + OFFSET_SEEDED, 1, 4);
  put_bytes(bytes + OFFSET_NEXT, g->next, 8);
  for (size_t i = 0; i < STATE_WORDS; i++) put_word(bytes + OFFSET_WORDS + 8 * i, g->words[i]);
  if (g->has_next_normal) {
    memcpy(&normal_bits, &g->next_normal, sizeof normal_bits);
    put_bytes(bytes + OFFSET_NORMAL, normal_bits, 8);
    bytes[OFFSET_NORMAL_VALID] = 1;
  }
  if (g->has_next_normal_float32) {
    memcpy(&float_bits, &g->next_normal_float32, sizeof float_bits);
    put_bytes(bytes + OFFSET_FLOAT, float_bits, 4);
    bytes[OFFSET_FLOAT_VALID] = 1;
  }
}

bool tocha_generator_set_state(tocha_generator *g, const void *state, size_t size) {
  const uint8_t *bytes = state;
  if (!bytes || size != STATE_BYTES) return false;
  int64_t left = (int32_t)(uint32_t)get_bytes(bytes + OFFSET_LEFT, 4);
  uint64_t next = get_bytes(bytes + OFFSET_NEXT, 8);
  if (get_bytes(bytes + OFFSET_SEEDED, 4) == 0 || left < 1 || left > STATE_WORDS) return false;
  /* Before the next refill, left - 1 words are read from `next` on. */
  if (next > STATE_WORDS || next + (uint64_t)left - 1 > STATE_WORDS) return false;

  g->initial_seed = get_bytes(bytes + OFFSET_SEED, 8);
  g->left = (int32_t)left;
  g->next = (uint32_t)next;
  for (size_t i = 0; i < STATE_WORDS; i++)
    g->words[i] = (uint32_t)get_bytes(bytes + OFFSET_WORDS + 8 * i, 8);
  g->has_next_normal = get_bytes(bytes + OFFSET_NORMAL_VALID, 4) != 0;
  g->next_normal = g->has_next_normal ? get_double(bytes + OFFSET_NORMAL) : 0.0;
  g->has_next_normal_float32 = bytes[OFFSET_FLOAT_VALID] != 0;
  g->next_normal_float32 = 0.0f;
  if (g->has_next_normal_float32) {
    uint32_t bits = (uint32_t)get_bytes(bytes + OFFSET_FLOAT, 4);
    memcpy(&g->next_normal_float32, &bits, sizeof bits);
  }
  return true;
}

/* ---- uniform ------------------------------------------------------------------------------- */

static TOCHA_INLINE void uniform_run32(float *out, const uint32_t *words, size_t n, float low,
                                       float high) {
  float range = high - low;
  for (size_t i = 0; i < n; i++) {
    float unit = (float)(int32_t)(tocha_generator_temper(words[i]) & 0xffffffu) * 0x1p-24f;
    float value = fmaf(unit, range, low);
    out[i] = value == high ? low : value;
  }
}

static TOCHA_INLINE void uniform_run64(double *out, const uint32_t *words, size_t n, double low,
                                       double high) {
  double range = high - low;
  for (size_t i = 0; i < n; i++) {
    int64_t bits = (int64_t)(pair_value(words + 2 * i) & 0x1fffffffffffffu);
    double value = fma((double)bits * 0x1p-53, range, low);
    out[i] = value == high ? low : value;
  }
}

/* Draws from [0, 1), by far the most common range, which needs no fused multiply-add. */
static TOCHA_INLINE void unit_run32(float *out, const uint32_t *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = (float)(int32_t)(tocha_generator_temper(words[i]) & 0xffffffu) * 0x1p-24f;
}

static TOCHA_INLINE void uniform_run32_any(float *out, const uint32_t *words, size_t n, float low,
                                           float high) {
  if (low == 0.0f && high == 1.0f)
    unit_run32(out, words, n);
  else
    uniform_run32(out, words, n, low, high);
}

static void uniform_run32_plain(float *out, const uint32_t *words, size_t n, float low,
                                float high) {
  uniform_run32_any(out, words, n, low, high);
}

static void uniform_run64_plain(double *out, const uint32_t *words, size_t n, double low,
                                double high) {
  uniform_run64(out, words, n, low, high);
}

TOCHA_FMA_TARGET
static void uniform_run32_fma(float *out, const uint32_t *words, size_t n, float low, float high) {
  uniform_run32_any(out, words, n, low, high);
}

TOCHA_FMA_TARGET
static void uniform_run64_fma(double *out, const uint32_t *words, size_t n, double low,
                              double high) {
  uniform_run64(out, words, n, low, high);
}

void tocha_random_uniform_float32(tocha_generator *g, float *out, size_t n, double low,
                                  double high) {
  bool fused = tocha_cpu_has_fma();
  for (size_t taken; n > 0; n -= taken, out += taken) {
    const uint32_t *words = take_words(g, n, &taken);
    if (fused)
      uniform_run32_fma(out, words, taken, (float)low, (float)high);
    else
      uniform_run32_plain(out, words, taken, (float)low, (float)high);
  }
}

void tocha_random_uniform_float64(tocha_generator *g, double *out, size_t n, double low,
                                  double high) {
  bool fused = tocha_cpu_has_fma();
  uint32_t cut[2];
  for (size_t taken; n > 0; n -= taken, out += taken) {
    const uint32_t *words = take_pairs(g, n, cut, &taken);
    if (fused)
      uniform_run64_fma(out, words, taken, low, high);
    else
      uniform_run64_plain(out, words, taken, low, high);
  }
}

/* ---- integers ------------------------------------------------------------------------------ */

void tocha_random_integers(tocha_generator *g, int64_t *out, size_t n, int64_t base, uint64_t range,
                           bool wide) {
  uint32_t cut[2];
  for (size_t taken; n > 0; n -= taken, out += taken) {
    if (wide) {
      const uint32_t *pairs = take_pairs(g, n, cut, &taken);
      for (size_t i = 0; i < taken; i++) {
        uint64_t value = pair_value(pairs + 2 * i);
        if (range != 0) value %= range;
        out[i] = (int64_t)(value + (uint64_t)base);
      }
    } else {
      const uint32_t *words = take_words(g, n, &taken);
      for (size_t i = 0; i < taken; i++) {
        uint32_t value = tocha_generator_temper(words[i]) % (uint32_t)range;
        out[i] = (int64_t)(value + (uint64_t)base);
      }
    }
  }
}

/* ---- permutation --------------------------------------------------------------------------- */

void tocha_random_permutation(tocha_generator *g, int64_t *out, size_t n, tocha_stop_flag *stop) {
  if (n < UINT32_MAX / 20) {
    for (size_t i = 0; i < n; i++) out[i] = (int64_t)i;
    for (size_t i = 0; i + 1 < n && !tocha_random_stops(stop, i); i++) {
      size_t other = i + tocha_generator_next32(g) % (uint32_t)(n - i);
      int64_t saved = out[i];
      out[i] = out[other];
      out[other] = saved;
    }
    return;
  }
  /* From this size on, the unevenness of 32 bits would be visible: an inside-out shuffle with 64
   * bits. */
  for (size_t i = 0; i < n && !tocha_random_stops(stop, i); i++) {
    size_t other = (size_t)(tocha_generator_next64(g) % (uint64_t)(i + 1));
    out[i] = (int64_t)i;
    out[i] = out[other];
    out[other] = (int64_t)i;
  }
}

/* ---- bernoulli ----------------------------------------------------------------------------- */

/* Draws n values. A draw is a multiple of 2^-53, and is below p if that multiple is below p *
 * 2^53, so integers are compared. The words are tempered before they are paired, because then
 * both loops are vectorized. n pairs take at most the words of a state. */
static TOCHA_INLINE void bernoulli_run(uint8_t *out, const uint32_t *words, size_t n,
                                       int64_t limit) {
  uint32_t tempered[STATE_WORDS];
  for (size_t i = 0; i < 2 * n; i++) tempered[i] = tocha_generator_temper(words[i]);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = (uint64_t)tempered[2 * i] << 32 | tempered[2 * i + 1];
    out[i] = (int64_t)(bits & 0x1fffffffffffffu) < limit;
  }
}

static void bernoulli_run_plain(uint8_t *out, const uint32_t *words, size_t n, int64_t limit) {
  bernoulli_run(out, words, n, limit);
}

TOCHA_FMA_TARGET
static void bernoulli_run_fma(uint8_t *out, const uint32_t *words, size_t n, int64_t limit) {
  bernoulli_run(out, words, n, limit);
}

void tocha_random_bernoulli_scalar(tocha_generator *g, double p, uint8_t *out, size_t n) {
  bool wide = tocha_cpu_has_fma();
  int64_t limit = p > 0 ? (int64_t)ceil((p < 1 ? p : 1) * 0x1p53) : 0;
  uint32_t cut[2];
  for (size_t taken; n > 0; n -= taken, out += taken) {
    const uint32_t *pairs = take_pairs(g, n, cut, &taken);
    if (wide)
      bernoulli_run_fma(out, pairs, taken, limit);
    else
      bernoulli_run_plain(out, pairs, taken, limit);
  }
}

void tocha_random_bernoulli_float32(tocha_generator *g, const float *p, uint8_t *out, size_t n) {
  for (size_t taken; n > 0; n -= taken, out += taken, p += taken) {
    const uint32_t *words = take_words(g, n, &taken);
    for (size_t i = 0; i < taken; i++)
      out[i] = (float)(int32_t)(tocha_generator_temper(words[i]) & 0xffffffu) * 0x1p-24f < p[i];
  }
}

void tocha_random_bernoulli_float64(tocha_generator *g, const double *p, uint8_t *out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = tocha_generator_next_unit64(g) < p[i];
}
