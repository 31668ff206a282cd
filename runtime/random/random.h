/* random.h: the random generator of the CPU and its distributions, on plain pointers.
 *
 * The same seed gives PyTorch's numbers (2.15, PyPI's x86-64 build): the generator is its mt19937,
 * and every fill draws the words that PyTorch's operator draws, in that order, and transforms
 * them by the same operations. Bit for bit in uniform, integers, permutations, bernoulli,
 * multinomial and the blocks of 16 of a float32 normal; where the C library's log, log1p, sin, cos,
 * tan and exp take part (float64 normal, samples one at a time), as far as that library
 * agrees with the one PyTorch runs on (two glibc do). The end of this header lists which
 * operator takes which path.
 *
 * Nothing here allocates, fails or checks arguments that PyTorch's operator checks (p in [0, 1],
 * std >= 0, lambda > 0, ...): with others, the samples mean nothing. A generator may be
 * used by one thread at a time. `n` counts elements; `out` is contiguous. */

#ifndef TOCHA_CORE_RANDOM_H
#define TOCHA_CORE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
typedef const int tocha_stop_flag; /* CUDA's kernels need nothing of it */
#else
#include <stdatomic.h>
typedef const atomic_int tocha_stop_flag; /* the interrupt flag of a context */

/* Whether a loop is to end at step i; the flag is looked at every 65,536 steps. */
static inline bool tocha_random_stops(tocha_stop_flag *stop, size_t i) {
  return i % 65536 == 0 && atomic_load_explicit(stop, memory_order_relaxed);
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The seed of a generator that a program makes and does not seed; a context's own generator begins at random. */
#define TOCHA_DEFAULT_SEED UINT64_C(67280421310721)

enum { TOCHA_GENERATOR_WORDS = 624 };

/* Public so that it can be embedded; seed or set_state it before use, and copy it freely. */
typedef struct tocha_generator {
  uint64_t initial_seed;
  int32_t left;  /* words that may still be read, plus one: 1 .. 624 between calls */
  uint32_t next; /* index of the next word; next + left - 1 <= 624 */
  uint32_t words[TOCHA_GENERATOR_WORDS];
  double next_normal;        /* the second sample of a Box-Muller pair, if has_next_normal */
  float next_normal_float32; /* kept for PyTorch's state only: nothing on the CPU draws it */
  bool has_next_normal, has_next_normal_float32;
  bool philox;     /* of a GPU: counts with Philox, and the words above are not used */
  int16_t device;  /* its index, */
  uint64_t offset; /* and how many words each thread of the GPU has had: a multiple of 4 */
} tocha_generator;

/* ---- the generator ------------------------------------------------------------------------- */

/* torch.manual_seed. The low 32 bits seed the engine; all 64 are kept for initial_seed. (Python's
 * negative seeds arrive here as their two's complement.) Forgets a pending normal sample. Makes a
 * generator of the CPU of anything. */
void tocha_generator_seed(tocha_generator *g, uint64_t seed);
uint64_t tocha_generator_initial_seed(const tocha_generator *g);

/* Bytes of a state: 5056, the length of torch.get_rng_state(). */
size_t tocha_generator_state_size(void);

/* Writes state_size() bytes, equal to torch.get_rng_state()'s for a generator with this past. */
void tocha_generator_get_state(const tocha_generator *g, void *state);

/* Reads what get_state or torch.get_rng_state() wrote. False, and the generator as it was, for
 * another size or a state that PyTorch calls "Invalid mt19937 state" (or one that would read past
 * the words, which PyTorch lets through). */
bool tocha_generator_set_state(tocha_generator *g, const void *state, size_t size);

/* ---- generators of GPUs (random_philox.c): a seed and an offset, drawn from by kernels ------ */

/* Makes a generator of a GPU of anything. */
void tocha_philox_seed(tocha_generator *g, int device, uint64_t seed);
/* torch.Generator.manual_seed: seeds a generator and leaves it the CPU's or a GPU's. */
void tocha_generator_reseed(tocha_generator *g, uint64_t seed);
/* A seed of the system's randomness, at most 2^63 - 1. */
uint64_t tocha_random_seed(void);
/* The offset for a launch whose threads take up to `words` each; later launches go on after it. */
static inline uint64_t tocha_philox_take(tocha_generator *g, uint64_t words) {
  uint64_t offset = g->offset;
  g->offset += (words + 3) / 4 * 4;
  return offset;
}
/* States of 16 bytes, as torch.cuda.get_rng_state() has them: seed, offset. set: false, and the
 * generator as it was, for another size (8, the seed alone, is taken too) or an offset that is no
 * multiple of 4. */
enum { TOCHA_PHILOX_STATE = 16 };
void tocha_philox_get_state(const tocha_generator *g, void *state);
bool tocha_philox_set_state(tocha_generator *g, const void *state, size_t size);
/* Makes the next 624 words. Called by the draws below, when none is left. */
void tocha_generator_refill(tocha_generator *g);

static inline uint32_t tocha_generator_temper(uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* 32 random bits: one word. */
static inline uint32_t tocha_generator_next32(tocha_generator *g) {
  if (g->left <= 1) tocha_generator_refill(g);
  g->left--;
  return tocha_generator_temper(g->words[g->next++]);
}

/* 64 random bits: two words, the upper half first. */
static inline uint64_t tocha_generator_next64(tocha_generator *g) {
  uint64_t upper = tocha_generator_next32(g);
  return upper << 32 | tocha_generator_next32(g);
}

/* A multiple of 2^-53 in [0, 1): two words. */
static inline double tocha_generator_next_unit64(tocha_generator *g) {
  return (double)(int64_t)(tocha_generator_next64(g) & 0x1fffffffffffffu) * 0x1p-53;
}

/* ---- uniform ------------------------------------------------------------------------------- */

/* [low, high): float32 from 24 bits of one word, float64 from 53 bits of two. A value that rounds
 * up to high becomes low, as in PyTorch. For float16 and bfloat16 PyTorch draws as for float32:
 * fill a float32 buffer, round it, and turn what became (rounded) high into (rounded) low. */
void tocha_random_uniform_float32(tocha_generator *g, float *out, size_t n, double low,
                                  double high);
void tocha_random_uniform_float64(tocha_generator *g, double *out, size_t n, double low,
                                  double high);

/* ---- normal -------------------------------------------------------------------------------- */

/* One sample, in double precision: four words and a sample kept back, or the kept one. Seeding
 * forgets it; the blocks below neither use nor forget it. */
double tocha_random_normal_sample(tocha_generator *g, double mean, double std);

/* n samples one at a time: what PyTorch does for a tensor that is not contiguous, in the order of
 * its memory (see below). */
void tocha_random_normal_scalar_float32(tocha_generator *g, float *out, size_t n, double mean,
                                        double std);
void tocha_random_normal_scalar_float64(tocha_generator *g, double *out, size_t n, double mean,
                                        double std);

/* A contiguous tensor. Below 16 elements one at a time; from 16 on n uniform numbers are drawn and
 * transformed in blocks of 16, and if n is no multiple of 16, the last 16 are drawn anew. */
void tocha_random_normal_float32(tocha_generator *g, float *out, size_t n, double mean, double std);
void tocha_random_normal_float64(tocha_generator *g, double *out, size_t n, double mean,
                                 double std);

/* The same for a contiguous float16 or bfloat16 tensor, yet to be rounded: as float32, but the
 * last, incomplete block is not drawn before it is drawn anew. */
void tocha_random_normal_reduced(tocha_generator *g, float *out, size_t n, double mean, double std);

/* ---- integers ------------------------------------------------------------------------------ */

/* base + draw % range, in 64 bits that wrap; range 0: the draw itself, 64 bits. wide: two words a number
 * instead of one, as for ranges of 2^28 and more.
 *
 * random_(from, to), any dtype: range to - from from `from` on; for a floating dtype PyTorch first moves a
 * bound that the dtype cannot represent inwards. random_(from, None): up to the dtype's largest (2^digits
 * for a floating one), and with from = -2^63 all 64 bits. random_(): [0, 2^digits), or [0, 2^digits] for a
 * floating dtype, wide where digits > 32 (int64, float64): tocha_dtype_digits. */
void tocha_random_integers(tocha_generator *g, int64_t *out, size_t n, int64_t base, uint64_t range,
                           bool wide);

/* torch.randperm: 0 .. n-1 in random order. n - 1 words; from n = 214748364 (2^32 / 20) on, 2 n
 * words and another shuffle. Unfinished once *stop is set. */
void tocha_random_permutation(tocha_generator *g, int64_t *out, size_t n, tocha_stop_flag *stop);

/* ---- bernoulli ----------------------------------------------------------------------------- */

/* out[i] = 1 with probability p, else 0: two words each, whatever the dtype of the tensor. */
void tocha_random_bernoulli_scalar(tocha_generator *g, double p, uint8_t *out, size_t n);

/* One probability an element. float32: one word each (float16 and bfloat16 as their float32
 * values); float64: two words each. */
void tocha_random_bernoulli_float32(tocha_generator *g, const float *p, uint8_t *out, size_t n);
void tocha_random_bernoulli_float64(tocha_generator *g, const double *p, uint8_t *out, size_t n);

/* ---- other distributions, in double precision, for every dtype ----------------------------- */

/* exponential: density lambda exp(-lambda x). geometric: trials up to the first success, 1, 2, ...
 * cauchy: median + sigma tan(pi (u - 1/2)). log-normal: exp of a normal, drawn one at a time even
 * where the tensor is contiguous. Two words a sample (log-normal: as the normal). PyTorch converts
 * the double to the dtype of the tensor. */
void tocha_random_exponential_float64(tocha_generator *g, double *out, size_t n, double lambda);
void tocha_random_geometric_float64(tocha_generator *g, double *out, size_t n, double p);
void tocha_random_cauchy_float64(tocha_generator *g, double *out, size_t n, double median,
                                 double sigma);
void tocha_random_log_normal_float64(tocha_generator *g, double *out, size_t n, double mean,
                                     double std);

/* torch.multinomial: `samples` categories from each row of weights (rows, categories), contiguous,
 * finite, >= 0, each row with a sum > 0, to out (rows, samples). Without replacement (samples <=
 * categories), or for one sample: the largest weight / exponential(1), categories draws a row.
 * (Equal quotients, as of the zeros when there are more samples than positive weights, may come in
 * another order than PyTorch's.) With replacement: the cumulative sum is searched, samples draws a
 * row. workspace: `categories` doubles. Unfinished once *stop is set. */
void tocha_random_multinomial_float32(tocha_generator *g, int64_t *out, const float *weights,
                                      size_t rows, size_t categories, size_t samples,
                                      bool replacement, double *workspace, tocha_stop_flag *stop);
void tocha_random_multinomial_float64(tocha_generator *g, int64_t *out, const double *weights,
                                      size_t rows, size_t categories, size_t samples,
                                      bool replacement, double *workspace, tocha_stop_flag *stop);

/* ---- which operator draws what ----------------------------------------------------------------
 *
 * Each line was held against PyTorch, values and the state of the generator after it. "Words" are
 * 32-bit draws; nothing is drawn for a tensor without elements.
 *
 * Order. A tensor that is not contiguous is filled in the order of its memory, not of its indices:
 * uniform_ on x.t() gives what uniform_ gives on x. (A slice with gaps: its elements by falling
 * stride.) empty_like keeps strides, so rand_like, randn_like and dropout of a transposed tensor
 * walk memory too. Normal: contiguous and >= 16 elements -> normal_float32/64/reduced; otherwise
 * normal_draw for each element, in that order.
 *
 * rand, rand_like            uniform_(0, 1)
 * randn, randn_like          normal_(0, 1); torch.normal(0, 1, size) as well
 * torch.normal(mean, std)    tensors: normal_(0, 1) * std + mean; std a number:
 *                            normal_(0, std) + mean
 * randint(low, high)         random_(low, high) in the dtype of the result: tocha_random_integers
 * random_(), random_(to)      tocha_random_integers; random_(to) is random_(0, to)
 * randperm                   tocha_random_permutation
 * bernoulli_(p), torch.bernoulli(x, p), p a number: bernoulli_scalar, float64 for every dtype. This
 *                            build no longer uses MKL's generators, on any processor, nor does
 *                            exponential_: earlier releases did.
 * torch.bernoulli(t), bernoulli_(t)    bernoulli_float32 or _float64 by the dtype of t.
 *                            x.bernoulli_() without p is bernoulli_(0.5)
 * exponential_, geometric_, cauchy_, log_normal_, multinomial    the functions above
 *
 * F.dropout, nn.Dropout      train and 0 < p < 1: x * (mask / (1 - p)), mask by bernoulli_(1 - p)
 *                            in an empty_like(x). The scale is 1.0f / (float)(1.0 - p): not the
 *                            float of 1 / (1 - p). p == 0 or eval: x; p == 1: zeros; no draws.
 * F.dropout2d                the same with one draw a channel, mask (N, C, 1, 1)
 *
 * kaiming_uniform_, xavier_uniform_     uniform_(-bound, bound); *_normal_: normal_(0, std)
 * nn.Linear(in, out)         weight: uniform_(-b, b), b = 1 / sqrt(in); then bias: the same
 * nn.Conv2d                  weight, then bias, b = 1 / sqrt(in / groups * kernel elements)
 * nn.LSTM, GRU, RNN, cells   every parameter in order, b = 1 / sqrt(hidden)
 * nn.Embedding               normal_(0, 1)
 * nn.MultiheadAttention      out_proj as Linear (its bias is set to 0 afterwards, its words are
 *                            drawn), then in_proj_weight by xavier_uniform_
 * nn.init.trunc_normal_      where [a, b] holds more than 0.3 of the distribution: normal_, then,
 *                            while any element lies outside, a normal_ of the whole size, taken
 *                            where outside. Else by rejection: uniform_(a, b), uniform_(), again
 *
 * "a seed" below is torch.empty((), dtype=int64).random_(): two words, tocha_random_integers.
 * random_split               one randperm(sum of lengths) of the given or the default generator
 * RandomSampler, each time it is iterated: a seed of the default generator, for a generator of its
 *                            own. It draws randperm(n) (num_samples / n times in full, then once
 *                            more for the rest, even where the rest is 0). replacement: randint(n)
 *                            in pieces of 32, then the rest. Given a generator, it draws from
 *                            that one, without a seed.
 * SubsetRandomSampler        randperm; WeightedRandomSampler: multinomial on float64 weights
 * DataLoader, each epoch     default generator draws in order: (1) when iter() is called, a seed
 *                            (the workers' base seed; drawn without workers and without shuffle
 *                            too); (2) with shuffle, at the first batch, RandomSampler's seed. So
 *                            two words an epoch without shuffle, four with. With generator = g, all
 *                            of it comes from g: the base seed, randperm(n), and when the epoch
 *                            ends another randperm(n), of which nothing is used. */

#ifdef __cplusplus
}
#endif
#endif
