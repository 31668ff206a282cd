/* sampling.h: sources of random numbers in a kernel, and distributions of them.
 *
 * The same seed gives PyTorch's numbers (ATen/native/cuda/DistributionTemplates.h over cuRAND's
 * device functions): a source turns one block of four words into COUNT values, a distribution
 * turns each of them into a number. Sums of products are fused explicitly if nvcc fuses them in
 * PyTorch, and the fast functions (__logf, ...) are those that PyTorch calls, because both
 * change the numbers. */
#pragma once

#include "common/launch.h"
#include "random/grid.h"
#include "random/launch.h"
#include "random/philox.h"
#include "runtime/graph.h"

namespace tocha {

/* The random words of one launch, up to a fixed number for each thread. */
struct Philox {
  unsigned key0, key1;
  unsigned long long first; /* number of the first block of words */
  const unsigned long long
      *position; /* in a graph: what the device knows of the generator, or NULL */

  Philox() = default;
  Philox(Stream *stream, tocha_generator *generator, uint64_t words) {
    const Words taken = take_words(stream, generator, words);
    key0 = static_cast<unsigned>(taken.seed);
    key1 = static_cast<unsigned>(taken.seed >> 32);
    first = taken.offset / 4;
    position = taken.position ? READ_ONLY(taken.position) : nullptr;
  }
  /* Returns the words as they are at the time of the launch. A kernel begins with it. */
  __device__ Philox located() const {
    Philox here = *this;
    if (position) {
      here.key0 = static_cast<unsigned>(position[0]);
      here.key1 = static_cast<unsigned>(position[0] >> 32);
      here.first += position[1] / 4;
    }
    return here;
  }
  /* Returns block number `block` of a thread. */
  __device__ tocha_philox_words words(unsigned long long thread, unsigned long long block) const {
    unsigned long long count = first + block;
    tocha_philox_words counter = {{static_cast<unsigned>(count), static_cast<unsigned>(count >> 32),
                                   static_cast<unsigned>(thread),
                                   static_cast<unsigned>(thread >> 32)}};
    return tocha_philox(counter, key0, key1);
  }
};

/* Returns a number in (0, 1]: a multiple of 2^-32 and a half. */
__device__ inline float unit(unsigned word) {
  return fmaf(static_cast<float>(word), 0x1p-32f, 0x1p-33f);
}
/* Returns a number in (0, 1] of 53 bits. */
__device__ inline double wide_unit(unsigned low, unsigned high) {
  unsigned long long bits = low ^ static_cast<unsigned long long>(high) << 21;
  return fma(static_cast<double>(bits), 0x1p-53, 0x1p-54);
}

/* --- sources ---------------------------------------------------------------------------------- */

struct Units {
  using Value = float;
  enum { COUNT = 4 };
  __device__ static void take(const tocha_philox_words &w, float (&x)[4]) {
    for (int i = 0; i < 4; i++) x[i] = unit(w.word[i]);
  }
};

struct WideUnits {
  using Value = double;
  enum { COUNT = 2 };
  __device__ static void take(const tocha_philox_words &w, double (&x)[2]) {
    x[0] = wide_unit(w.word[0], w.word[1]);
    x[1] = wide_unit(w.word[2], w.word[3]);
  }
};

/* A source of standard normal pairs: G. Box and M. Muller, "A note on the generation of random
 * normal deviates", 1958. */
struct Normals {
  using Value = float;
  enum { COUNT = 4 };
  __device__ static void pair(unsigned a, unsigned b, float *x) {
    const float two_pi = 0x1p-32f * 6.2831855f; /* word * two_pi is an angle */
    float radius = sqrtf(-2.0f * logf(unit(a))), sine, cosine;
    __sincosf(fmaf(static_cast<float>(b), two_pi, two_pi / 2), &sine, &cosine);
    x[0] = sine * radius;
    x[1] = cosine * radius;
  }
  __device__ static void take(const tocha_philox_words &w, float (&x)[4]) {
    pair(w.word[0], w.word[1], x);
    pair(w.word[2], w.word[3], x + 2);
  }
};

struct WideNormals {
  using Value = double;
  enum { COUNT = 2 };
  __device__ static void take(const tocha_philox_words &w, double (&x)[2]) {
    double radius = sqrt(-2.0 * log(wide_unit(w.word[0], w.word[1]))), sine, cosine;
    sincospi(2 * wide_unit(w.word[2], w.word[3]), &sine, &cosine);
    x[0] = sine * radius;
    x[1] = cosine * radius;
  }
};

struct Bits {
  using Value = unsigned;
  enum { COUNT = 4 };
  __device__ static void take(const tocha_philox_words &w, unsigned (&x)[4]) {
    for (int i = 0; i < 4; i++) x[i] = w.word[i];
  }
};

struct WideBits {
  using Value = unsigned long long;
  enum { COUNT = 2 };
  __device__ static void take(const tocha_philox_words &w, unsigned long long (&x)[2]) {
    x[0] = static_cast<unsigned long long>(w.word[0]) << 32 | w.word[1];
    x[1] = static_cast<unsigned long long>(w.word[2]) << 32 | w.word[3];
  }
};

/* --- distributions, in C, a float or a double ------------------------------------------------- */

__device__ inline float quick_log(float x) { return __logf(x); }
__device__ inline double quick_log(double x) { return log(x); }
__device__ inline float quick_exp(float x) { return __expf(x); }
__device__ inline double quick_exp(double x) { return exp(x); }
__device__ inline float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return fma(a, b, c); }

/* Rounds a number to T. */
template <class T, class C> HOST_DEVICE inline C rounded(C x) { return convert<C>(convert<T>(x)); }

/* Uniform in [from, to): a value that rounds to the upper bound becomes the lower one. T: the
 * dtype of the tensor. */
template <class T, class C> struct Uniform {
  C from, to, range;
  explicit Uniform(const tocha_random_args &args)
      : from(rounded<T>(static_cast<C>(args.a))), to(rounded<T>(static_cast<C>(args.b))),
        range(rounded<T>(to - from)) {}
  __device__ C operator()(C x) const {
    C value = rounded<T>(fused(x, range, from));
    return value == to ? from : value;
  }
};

template <class C> struct Normal {
  C mean, deviation;
  explicit Normal(const tocha_random_args &args)
      : mean(static_cast<C>(args.a)), deviation(static_cast<C>(args.b)) {}
  __device__ C operator()(C x) const { return fused(x, deviation, mean); }
};

template <class C> struct LogNormal : Normal<C> {
  using Normal<C>::Normal;
  __device__ C operator()(C x) const { return quick_exp(Normal<C>::operator()(x)); }
};

/* Returns half a unit in the last place of 1. */
template <class C> __device__ constexpr C half_unit() {
  return sizeof(C) == 4 ? static_cast<C>(0x1p-24) : static_cast<C>(0x1p-53);
}

template <class C> struct Exponential {
  C rate;
  explicit Exponential(const tocha_random_args &args) : rate(static_cast<C>(args.a)) {}
  __device__ C
  operator()(C x) const { /* keeps the logarithm from 0, and from values so small that float16
                           * loses them */
    return -1 / rate * (x >= 1 - half_unit<C>() ? -half_unit<C>() : quick_log(x));
  }
};

template <class C> struct Cauchy {
  C median, scale;
  explicit Cauchy(const tocha_random_args &args)
      : median(static_cast<C>(args.a)), scale(static_cast<C>(args.b)) {}
  __device__ static float turn(float x) { /* infinite at both ends */
    x = x > 1 - 0x1p-23f ? 1 - 0x1p-23f : x < 0x1p-23f ? 0x1p-23f : x;
    return __tanf(3.14159265358979f * (x - 0.5f));
  }
  __device__ static double turn(double x) { return tan(3.14159265358979323846 * (x - 0.5)); }
  __device__ C operator()(C x) const { return fused(scale, turn(x), median); }
};

template <class C> struct Geometric {
  C p;
  explicit Geometric(const tocha_random_args &args) : p(static_cast<C>(args.a)) {}
  __device__ static float log_of_rest(float p) { return __logf(1.0f + -p); }
  __device__ static double log_of_rest(double p) { return log1p(-p); }
  __device__ C operator()(C x) const { return ceil(quick_log(x) / log_of_rest(p)); }
};

template <class C> struct Bernoulli {
  C p, value;
  explicit Bernoulli(const tocha_random_args &args)
      : p(static_cast<C>(args.a)), value(static_cast<C>(args.b)) {}
  __device__ C operator()(C x) const { return x < p ? value : 0; }
};

struct Integers {
  unsigned long long range;
  long long base;
  explicit Integers(const tocha_random_args &args) : range(args.range), base(args.base) {}
  __device__ long long
  operator()(unsigned x) const { /* range < 2^28, or 2^31, or 2^32: 32 bits suffice */
    return static_cast<long long>(range >> 32 ? x : x % static_cast<unsigned>(range)) + base;
  }
  __device__ long long operator()(unsigned long long x) const {
    return static_cast<long long>((range ? x % range : x) + static_cast<unsigned long long>(base));
  }
};

} // namespace tocha
