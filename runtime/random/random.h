/* random.h: the random generator of the CPU and its distributions, on plain pointers.
 *
 * The same seed gives PyTorch's numbers (2.15, PyPI's x86-64 build): the generator is its
 * mt19937, and every fill draws the words that PyTorch's operator draws, in that order, and
 * transforms them by the same operations. Uniform, integers, permutations, bernoulli,
 * multinomial and the blocks of 16 of a float32 normal agree bit for bit. Distributions that use
 * the C library's log, log1p, sin, cos, tan and exp (float64 normal, samples one at a time)
 * agree as far as that library agrees with the one that PyTorch runs on (two versions of glibc
 * do). The end of this header lists the functions that each operator uses.
 *
 * The functions do not allocate or fail, and do not check the arguments that PyTorch's operators
 * check (p in [0, 1], std >= 0, lambda > 0, ...): for others, the samples are meaningless. A
 * generator may be used by one thread at a time. `n` counts elements; `out` is contiguous. */

#ifndef TOCHA_CORE_RANDOM_H
#define TOCHA_CORE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
typedef const int tocha_stop_flag; /* CUDA's kernels do not use it */
#else
#include <stdatomic.h>
typedef const atomic_int tocha_stop_flag; /* the interrupt flag of a context */

/* Returns true if a loop must end at step i. Checks the flag every 65,536 steps. */
static inline bool tocha_random_stops(tocha_stop_flag *stop, size_t i) {
  return i % 65536 == 0 && atomic_load_explicit(stop, memory_order_relaxed);
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The seed of a generator that a program creates and does not seed; a context's own generator
 * starts with a random one. */
#define TOCHA_DEFAULT_SEED UINT64_C(67280421310721)

enum { TOCHA_GENERATOR_WORDS = 624 };

/* Public so that it can be embedded. Seed it or set its state before use; copy it freely. */
typedef struct tocha_generator {
  uint64_t initial_seed;
  int32_t left;  /* words that may still be read, plus one: 1 .. 624 between calls */
  uint32_t next; /* index of the next word; next + left - 1 <= 624 */
  uint32_t words[TOCHA_GENERATOR_WORDS];
  double next_normal;        /* the second sample of a Box-Muller pair, if has_next_normal */
  float next_normal_float32; /* part of PyTorch's state only; the CPU never draws it */
  bool has_next_normal, has_next_normal_float32;
  bool philox;     /* for a GPU: counts with Philox, and the words above are not used */
  int16_t device;  /* index of the GPU */
  uint64_t offset; /* number of words that each thread of the GPU has drawn: a multiple of 4 */
} tocha_generator;

/* ---- the generator ------------------------------------------------------------------------- */

/* Seeds a generator of the CPU (torch.manual_seed), whatever g was before. The low 32 bits seed
 * the engine; all 64 are kept for initial_seed. (Python's negative seeds arrive as their two's
 * complement.) Drops a pending normal sample. */
void tocha_generator_seed(tocha_generator *g, uint64_t seed);
uint64_t tocha_generator_initial_seed(const tocha_generator *g);

/* Returns the bytes of a state: 5056, the length of torch.get_rng_state(). */
size_t tocha_generator_state_size(void);

/* Writes state_size() bytes, equal to torch.get_rng_state() for a generator with the same
 * history. */
void tocha_generator_get_state(const tocha_generator *g, void *state);

/* Reads what get_state or torch.get_rng_state() wrote. Returns false, and leaves the generator
 * unchanged, for another size, for a state that PyTorch calls "Invalid mt19937 state", and for
 * one that would read past the words, which PyTorch accepts. */
bool tocha_generator_set_state(tocha_generator *g, const void *state, size_t size);

/* ---- generators of GPUs (philox.c): a seed and an offset, used by kernels ------------------- */

/* Seeds a generator of a GPU, whatever g was before. */
void tocha_philox_seed(tocha_generator *g, int device, uint64_t seed);
/* Seeds a generator, which stays the CPU's or a GPU's (torch.Generator.manual_seed). */
void tocha_generator_reseed(tocha_generator *g, uint64_t seed);
/* Returns a random seed from the system, at most 2^63 - 1. */
uint64_t tocha_random_seed(void);
/* Returns the offset for a launch whose threads take up to `words` each; later launches continue
 * after it. */
static inline uint64_t tocha_philox_take(tocha_generator *g, uint64_t words) {
  uint64_t offset = g->offset;
  g->offset += (words + 3) / 4 * 4;
  return offset;
}
/* Writes, or reads, a state of 16 bytes, as in torch.cuda.get_rng_state(): seed, offset.
 * set_state also accepts 8 bytes, the seed alone. It returns false, and leaves the generator
 * unchanged, for any other size, or for an offset that is not a multiple of 4. */
enum { TOCHA_PHILOX_STATE = 16 };
void tocha_philox_get_state(const tocha_generator *g, void *state);
bool tocha_philox_set_state(tocha_generator *g, const void *state, size_t size);
/* Computes the next 624 words. Called by the draws below if no word is left. */
void tocha_generator_refill(tocha_generator *g);

static inline uint32_t tocha_generator_temper(uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* Draws 32 random bits: one word. */
static inline uint32_t tocha_generator_next32(tocha_generator *g) {
  if (g->left <= 1) tocha_generator_refill(g);
  g->left--;
  return tocha_generator_temper(g->words[g->next++]);
}

/* Draws 64 random bits: two words, the upper half first. */
static inline uint64_t tocha_generator_next64(tocha_generator *g) {
  uint64_t upper = tocha_generator_next32(g);
  return upper << 32 | tocha_generator_next32(g);
}

/* Draws a multiple of 2^-53 in [0, 1): two words. */
static inline double tocha_generator_next_unit64(tocha_generator *g) {
  return (double)(int64_t)(tocha_generator_next64(g) & 0x1fffffffffffffu) * 0x1p-53;
}

/* ---- uniform ------------------------------------------------------------------------------- */

/* Draws from [low, high): float32 from 24 bits of one word, float64 from 53 bits of two. A value
 * that rounds up to `high` becomes `low`, as in PyTorch. For float16 and bfloat16 PyTorch draws
 * as for float32: fill a float32 buffer, round it, and change every value equal to the rounded
 * `high` to the rounded `low`. */
void tocha_random_uniform_float32(tocha_generator *g, float *out, size_t n, double low,
                                  double high);
void tocha_random_uniform_float64(tocha_generator *g, double *out, size_t n, double low,
                                  double high);

/* ---- normal -------------------------------------------------------------------------------- */

/* Draws one sample in double precision: from four words, with a second sample kept, or the kept
 * one. Seeding drops the kept sample; the blocks below neither use nor drop it. */
double tocha_random_normal_sample(tocha_generator *g, double mean, double std);

/* Draws n samples one at a time, as PyTorch does for a tensor that is not contiguous, in the
 * order of its memory (see below). */
void tocha_random_normal_scalar_float32(tocha_generator *g, float *out, size_t n, double mean,
                                        double std);
void tocha_random_normal_scalar_float64(tocha_generator *g, double *out, size_t n, double mean,
                                        double std);

/* Draws for a contiguous tensor. Fewer than 16 elements are drawn one at a time. From 16 on, n
 * uniform numbers are drawn and transformed in blocks of 16, and if n is not a multiple of 16,
 * the last 16 are drawn again. */
void tocha_random_normal_float32(tocha_generator *g, float *out, size_t n, double mean, double std);
void tocha_random_normal_float64(tocha_generator *g, double *out, size_t n, double mean,
                                 double std);

/* Draws for a contiguous float16 or bfloat16 tensor; the caller rounds the values. As float32,
 * except that the last, incomplete block is drawn only once. */
void tocha_random_normal_reduced(tocha_generator *g, float *out, size_t n, double mean, double std);

/* ---- integers ------------------------------------------------------------------------------ */

/* Draws base + draw % range, in 64 bits that wrap; range 0: the draw itself, 64 bits. wide: two
 * words per number, as for ranges of 2^28 and more, else one.
 *
 * random_(from, to), any dtype: `base` is from, `range` is to - from; for a floating dtype
 * PyTorch first moves a bound that the dtype cannot represent inwards. random_(from, None): up
 * to the dtype's largest (2^digits for a floating one), and with from = -2^63 all 64 bits.
 * random_(): [0, 2^digits), or [0, 2^digits] for a floating dtype, wide if digits > 32 (int64,
 * float64): tocha_dtype_digits. */
void tocha_random_integers(tocha_generator *g, int64_t *out, size_t n, int64_t base, uint64_t range,
                           bool wide);

/* Draws 0 .. n-1 in random order (torch.randperm) from n - 1 words; from n = 214748364 (2^32 /
 * 20) on, from 2 n words by another shuffle. The result is incomplete if *stop is set. */
void tocha_random_permutation(tocha_generator *g, int64_t *out, size_t n, tocha_stop_flag *stop);

/* ---- bernoulli ----------------------------------------------------------------------------- */

/* Sets out[i] to 1 with probability p, else to 0: two words each, for any dtype of the tensor. */
void tocha_random_bernoulli_scalar(tocha_generator *g, double p, uint8_t *out, size_t n);

/* Draws with one probability per element. float32: one word each (float16 and bfloat16 as their
 * float32 values); float64: two words each. */
void tocha_random_bernoulli_float32(tocha_generator *g, const float *p, uint8_t *out, size_t n);
void tocha_random_bernoulli_float64(tocha_generator *g, const double *p, uint8_t *out, size_t n);

/* ---- other distributions, in double precision, for every dtype ----------------------------- */

/* Draws n samples. exponential: density lambda exp(-lambda x). geometric: trials up to the first
 * success, 1, 2, ... cauchy: median + sigma tan(pi (u - 1/2)). log-normal: exp of a normal,
 * drawn one at a time even if the tensor is contiguous. Two words per sample (log-normal: as the
 * normal). PyTorch converts the double to the dtype of the tensor. */
void tocha_random_exponential_float64(tocha_generator *g, double *out, size_t n, double lambda);
void tocha_random_geometric_float64(tocha_generator *g, double *out, size_t n, double p);
void tocha_random_cauchy_float64(tocha_generator *g, double *out, size_t n, double median,
                                 double sigma);
void tocha_random_log_normal_float64(tocha_generator *g, double *out, size_t n, double mean,
                                     double std);

/* Draws `samples` categories from each row of weights (rows, categories), contiguous, finite, >=
 * 0, each row with a sum > 0, to out (rows, samples) (torch.multinomial). Without replacement
 * (samples <= categories), or for one sample: those with the largest weight / exponential(1),
 * `categories` draws per row. (Equal quotients, such as zeros if there are more samples than
 * positive weights, may come in another order than PyTorch's.) With replacement: by searching
 * the cumulative sum, `samples` draws per row. workspace: `categories` doubles. The result is
 * incomplete if *stop is set. */
void tocha_random_multinomial_float32(tocha_generator *g, int64_t *out, const float *weights,
                                      size_t rows, size_t categories, size_t samples,
                                      bool replacement, double *workspace, tocha_stop_flag *stop);
void tocha_random_multinomial_float64(tocha_generator *g, int64_t *out, const double *weights,
                                      size_t rows, size_t categories, size_t samples,
                                      bool replacement, double *workspace, tocha_stop_flag *stop);

/* ---- the draws of each operator ----------------------------------------------------------------
 *
 * Each line was compared with PyTorch: the values, and the state of the generator afterwards.
 * "Words" are 32-bit draws; a tensor without elements draws none.
 *
 * Order. A tensor that is not contiguous is filled in the order of its memory, not of its indices:
 * uniform_ on x.t() gives what uniform_ gives on x. (A slice with gaps: its elements by falling
 * stride.) empty_like keeps strides, so rand_like, randn_like and dropout of a transposed tensor
 * walk memory too. Normal: contiguous and >= 16 elements -> normal_float32/64/reduced; otherwise
 * normal_scalar for each element, in that order.
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
 * nn.init.trunc_normal_      if [a, b] contains more than 0.3 of the distribution: normal_, then,
 *                            while any element is outside, a normal_ of the whole size, used for
 *                            those outside. Else by rejection: uniform_(a, b), uniform_(), again
 *
 * "a seed" below is torch.empty((), dtype=int64).random_(): two words, tocha_random_integers.
 * random_split               one randperm(sum of lengths) of the given or the default generator
 * RandomSampler, each time it is iterated: a seed of the default generator, for a generator of its
 *                            own. It draws randperm(n) (num_samples / n times in full, then once
 *                            more for the rest, even if the rest is 0). replacement: randint(n)
 *                            in pieces of 32, then the rest. If given a generator, it draws
 *                            from that generator, without a seed.
 * SubsetRandomSampler        randperm; WeightedRandomSampler: multinomial on float64 weights
 * DataLoader, each epoch     default generator draws in order: (1) when iter() is called, a seed
 *                            (the workers' base seed; drawn without workers and without shuffle
 *                            too); (2) with shuffle, at the first batch, RandomSampler's seed. So
 *                            two words an epoch without shuffle, four with. With generator = g, all
 *                            words come from g: the base seed, randperm(n), and when the epoch
 *                            ends another randperm(n), which is not used. */

#ifdef __cplusplus
}
#endif
#endif
