/* elementwise.h: the kernel template of elementwise formulas. The build generates a file from
 * each list file's formulas (build/generated/pointwise/elementwise_NAME.cu), which includes this
 * one, so that the files are compiled in parallel.
 *
 * A formula is a struct of constants with a function `value`. For each compute type that it has
 * it becomes
 *   elementwise  for every type S that is computed in it (float32: float, float16, bfloat16):
 * all
 *                operands have type S (the output of a comparison: bool), with any strides;
 *                16-byte accesses if the inner dimension is dense and aligned
 *   mixed        for operands of any types, which are known at run time only; four elements at a
 *                time if the inner dimension is dense and aligned
 * Operands that are numbers are passed by value. */
#pragma once

#include <type_traits>

#include "common/launch.h"
#include "common/raw.h"
#include "pointwise/launch.h"
#include "tensor/math/scalar_math.h"

#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic ignored "-Wtype-limits" /* formulas test unsigned values for < 0 */
#endif

namespace tocha {
namespace {

typedef bool (*ElementwiseStart)(Stream *stream, const tocha_elementwise_args &args);

/* --- kernels ---------------------------------------------------------------------------------- */

/* The positions of N operands; operand 0 is the output. */
template <int N> struct Operands {
  Offsets<unsigned, N> offsets;
  unsigned count;   /* number of elements */
  unsigned vectors; /* this many groups of V elements use wide accesses, the other elements
                     * single ones */
  char *data[N];    /* NULL: a number */
  signed char dtype[4], item[4]; /* item: bytes of an element */

  /* Returns true if operand k has an element for each step along the inner dimension. */
  __device__ bool runs(int k) const { return data[k] && offsets.strides[0][k] != 0; }
};

template <class T> struct Values {
  T operand[4]; /* values of the operands that are numbers */
  T p[4];       /* the formula's numbers */
};

/* Loads V elements of operand k from byte `offset` on, or one if its step is 0, or none if it is
 * a number. */
template <class S, int V, int N>
__device__ inline Raw<S, V> fetch(const Operands<N> &o, int k, unsigned offset) {
  Raw<S, V> raw = {};
  if (o.runs(k)) {
    raw = load_raw<S, V>(o.data[k] + offset);
  } else if (o.data[k]) {
    const Raw<S, 1> one = load_raw<S, 1>(o.data[k] + offset);
    memcpy(raw.words, one.words, sizeof one);
  }
  return raw;
}

/* Converts the fetched elements: each one, or the single one V times, or the number V times. */
template <class T, class S, int V, int N>
__device__ inline void widen(T (&to)[V], const Raw<S, V> &raw, const Operands<N> &o, int k,
                             T number) {
  if (o.runs(k)) {
    UNROLL for (int j = 0; j < V; j++) to[j] = element<T>(raw, j);
  } else {
    const T value = o.data[k] ? element<T>(raw, 0) : number;
    UNROLL for (int j = 0; j < V; j++) to[j] = value;
  }
}

/* Computes V results from element i on. Loads of all operands are started before the first is
 * used. */
template <class Formula, class S, int V>
__device__ inline void compute(const Operands<Formula::inputs + 1> &o,
                               const Values<typename Arithmetic<S>::type> &values, unsigned i) {
  using T = typename Arithmetic<S>::type;
  using R = std::conditional_t<Formula::to_bool, unsigned char, S>;
  enum { N = Formula::inputs + 1 };
  unsigned offset[N];
  o.offsets.at(i, offset);
  Raw<S, V> raw[N];
  UNROLL for (int k = 1; k < N; k++) raw[k] = fetch<S, V>(o, k, offset[k]);
  T in[4][V] = {};
  UNROLL for (int k = 1; k < N; k++) widen(in[k], raw[k], o, k, values.operand[k]);
  Vec<R, V> results;
  UNROLL for (int j = 0; j < V; j++) results[j] =
      convert<R>(Formula::template value<T, S>(in[1][j], in[2][j], in[3][j], values.p));
  store_vec(reinterpret_cast<R *>(o.data[0] + offset[0]), results);
}

/* Computes a formula on o.count elements of type S. */
template <class Formula, class S, int V>
__global__ void elementwise(Operands<Formula::inputs + 1> o,
                            Values<typename Arithmetic<S>::type> values) {
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  if constexpr (V > 1)
    for (unsigned i = first; i < o.vectors; i += step) compute<Formula, S, V>(o, values, i * V);
  for (unsigned i = o.vectors * V + first; i < o.count; i += step)
    compute<Formula, S, 1>(o, values, i);
}

/* Loads, or stores, an element of any type. Not inlined, so that the choice of the type is
 * compiled once per file and not four times per formula. */
template <class T> __device__ __attribute__((noinline)) T load_any(const char *at, int dtype) {
  return load<T>(at, dtype);
}
template <class T>
__device__ __attribute__((noinline)) void store_any(char *at, int dtype, T value) {
  store<T>(at, dtype, value);
}

/* Four neighbouring elements: of any type in their stored form (Raw<long long, 4>), and
 * converted. */
using RawFour = Raw<long long, 4>;
template <class T> struct Four { T values[4]; };

template <class T> __device__ __attribute__((noinline)) Four<T> widen_any(RawFour raw, int dtype) {
  return with_stored(dtype, [=](auto type) {
    using S = typename decltype(type)::type;
    S values[4];
    memcpy(values, raw.words, sizeof values);
    Four<T> four;
    UNROLL for (int j = 0; j < 4; j++) four.values[j] = from_stored<T>(values[j]);
    return four;
  });
}

template <class T>
__device__ __attribute__((noinline)) RawFour narrow_any(Four<T> four, int dtype) {
  return with_stored(dtype, [=](auto type) {
    using S = typename decltype(type)::type;
    S values[4];
    UNROLL for (int j = 0; j < 4; j++) values[j] = to_stored<S>(four.values[j]);
    RawFour raw = {};
    memcpy(raw.words, values, sizeof values);
    return raw;
  });
}

/* Loads or stores `WORDS` words by one access, or two. */
template <int WORDS> __device__ inline void load_words(RawFour &raw, const char *at) {
  enum { ONE = WORDS < 4 ? WORDS : 4 };
  UNROLL for (int w = 0; w < WORDS; w += ONE) {
    const Vec<unsigned, ONE> words = load_vec<ONE>(reinterpret_cast<const unsigned *>(at) + w);
    UNROLL for (int j = 0; j < ONE; j++) raw.words[w + j] = words[j];
  }
}
template <int WORDS> __device__ inline void store_words(char *at, const RawFour &raw) {
  enum { ONE = WORDS < 4 ? WORDS : 4 };
  UNROLL for (int w = 0; w < WORDS; w += ONE) {
    Vec<unsigned, ONE> words;
    UNROLL for (int j = 0; j < ONE; j++) words[j] = raw.words[w + j];
    store_vec(reinterpret_cast<unsigned *>(at) + w, words);
  }
}

template <int N>
__device__ inline RawFour fetch_four(const Operands<N> &o, int k, unsigned offset) {
  const char *at = o.data[k] + offset;
  RawFour raw = {};
  if (!o.runs(k)) return raw;
  if (o.item[k] == 8)
    load_words<8>(raw, at);
  else if (o.item[k] == 4)
    load_words<4>(raw, at);
  else if (o.item[k] == 2)
    load_words<2>(raw, at);
  else
    load_words<1>(raw, at);
  return raw;
}

__device__ inline void put_four(char *at, int item, const RawFour &raw) {
  if (item == 8)
    store_words<8>(at, raw);
  else if (item == 4)
    store_words<4>(at, raw);
  else if (item == 2)
    store_words<2>(at, raw);
  else
    store_words<1>(at, raw);
}

/* Computes four results from element i on. */
template <class Formula, class T>
__device__ inline void compute_four(const Operands<Formula::inputs + 1> &o, const Values<T> &values,
                                    unsigned i) {
  enum { N = Formula::inputs + 1 };
  using R = std::conditional_t<Formula::to_bool, unsigned char, T>;
  unsigned offset[N];
  o.offsets.at(i, offset);
  RawFour raw[N];
  UNROLL for (int k = 1; k < N; k++) raw[k] = fetch_four(o, k, offset[k]);
  Four<T> in[4] = {};
  UNROLL for (int k = 1; k < N; k++) {
    if (o.runs(k)) {
      in[k] = widen_any<T>(raw[k], o.dtype[k]);
    } else {
      const T value =
          o.data[k] ? load_any<T>(o.data[k] + offset[k], o.dtype[k]) : values.operand[k];
      UNROLL for (int j = 0; j < 4; j++) in[k].values[j] = value;
    }
  }
  Four<R> results;
  UNROLL for (int j = 0; j < 4; j++) results.values[j] =
      Formula::template value<T>(in[1].values[j], in[2].values[j], in[3].values[j], values.p);
  put_four(o.data[0] + offset[0], o.item[0], narrow_any(results, o.dtype[0]));
}

/* Computes a formula on o.count elements of any types. */
template <class Formula, class T>
__global__ void mixed(Operands<Formula::inputs + 1> o, Values<T> values) {
  enum { N = Formula::inputs + 1 };
  using R = std::conditional_t<Formula::to_bool, unsigned char, T>;
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  if constexpr (Formula::widest > 1)
    for (unsigned i = first; i < o.vectors; i += step) compute_four<Formula>(o, values, i * 4);
  for (unsigned i = o.vectors * 4 + first; i < o.count; i += step) {
    T in[4] = {};
    unsigned offset[N];
    o.offsets.at(i, offset);
    UNROLL for (int k = 1; k < N; k++) in[k] =
        o.data[k] ? load_any<T>(o.data[k] + offset[k], o.dtype[k]) : values.operand[k];
    const R result = Formula::template value<T>(in[1], in[2], in[3], values.p);
    store_any<R>(o.data[0] + offset[0], o.dtype[0], result);
  }
}

/* --- launching -------------------------------------------------------------------------------- */

template <int N> Operands<N> operands_of(const tocha_strided_layout &layout) {
  Operands<N> o = {};
  o.offsets = Offsets<unsigned, N>(layout);
  o.count = static_cast<unsigned>(layout.numel);
  for (int k = 0; k < N; k++) {
    o.dtype[k] = layout.dtype[k];
    o.item[k] = static_cast<signed char>(item_bytes(layout.dtype[k]));
    o.data[k] = static_cast<char *>(layout.data[k]);
    if (k > 0 && o.data[k]) o.data[k] = READ_ONLY(o.data[k]);
  }
  return o;
}

template <class Formula, class S>
void start_typed(Stream *stream, const tocha_strided_layout &layout,
                 const Values<typename Arithmetic<S>::type> &values) {
  enum {
    N = Formula::inputs + 1,
    widest = Formula::widest,
    V = static_cast<int>(16 / sizeof(S)) < widest ? static_cast<int>(16 / sizeof(S)) : widest
  };
  int item[N];
  for (int &bytes : item) bytes = sizeof(S);
  if (Formula::to_bool) item[0] = 1;
  Operands<N> o = operands_of<N>(layout);
  o.vectors = V > 1 ? count_vectors(layout, item, V) : 0;
  unsigned items = o.vectors ? o.vectors : o.count;
  LAUNCH((elementwise<Formula, S, V>), blocks_for(stream, items), BLOCK_THREADS, 0, stream->cuda(),
         o, values);
}

template <class Formula, class T>
void start_mixed(Stream *stream, const tocha_strided_layout &layout, const Values<T> &values) {
  enum { N = Formula::inputs + 1 };
  Operands<N> o = operands_of<N>(layout);
  int item[N];
  for (int k = 0; k < N; k++) item[k] = o.item[k];
  o.vectors = Formula::widest > 1 ? count_vectors(layout, item, 4) : 0;
  unsigned items = o.vectors ? o.vectors : o.count;
  LAUNCH((mixed<Formula, T>), blocks_for(stream, items), BLOCK_THREADS, 0, stream->cuda(), o,
         values);
}

template <class T> Values<T> values_of(const tocha_elementwise_args &args, int operands) {
  Values<T> values = {};
  for (int k = 1; k < operands; k++) memcpy(&values.operand[k], &args.values[k], sizeof(T));
  memcpy(values.p, args.numbers, sizeof values.p);
  return values;
}

/* Returns the dtype that all operands share, or -1. truth: the output is a comparison's, and
 * must be bool. */
inline int shared_dtype(const tocha_strided_layout &layout, bool truth) {
  int shared = truth ? -1 : layout.dtype[0];
  if (truth && layout.dtype[0] != TOCHA_BOOL) return -1;
  for (int k = 1; k < layout.operands; k++) {
    if (!layout.data[k]) continue;
    if (shared >= 0 && layout.dtype[k] != shared) return -1;
    shared = layout.dtype[k];
  }
  return shared;
}

template <class Formula> bool start(Stream *stream, const tocha_elementwise_args &args) {
  return in_32_bit_parts(*args.layout, [&](const tocha_strided_layout &layout) {
    int dtype = shared_dtype(layout, Formula::to_bool);
    if constexpr (Formula::types & TOCHA_TAKES_FLOATS) {
      if (args.compute == TOCHA_FLOAT32) {
        Values<float> values = values_of<float>(args, layout.operands);
        if (dtype == TOCHA_FLOAT32)
          return start_typed<Formula, float>(stream, layout, values), true;
        if (dtype == TOCHA_FLOAT16)
          return start_typed<Formula, float16>(stream, layout, values), true;
        if (dtype == TOCHA_BFLOAT16)
          return start_typed<Formula, bfloat16>(stream, layout, values), true;
        return start_mixed<Formula, float>(stream, layout, values), true;
      }
      if (args.compute == TOCHA_FLOAT64) {
        Values<double> values = values_of<double>(args, layout.operands);
        if (dtype == TOCHA_FLOAT64)
          return start_typed<Formula, double>(stream, layout, values), true;
        return start_mixed<Formula, double>(stream, layout, values), true;
      }
    }
    if constexpr (Formula::types & TOCHA_TAKES_INT64) {
      if (args.compute == TOCHA_INT64) {
        Values<int64_t> values = values_of<int64_t>(args, layout.operands);
        if (dtype == TOCHA_INT64)
          return start_typed<Formula, int64_t>(stream, layout, values), true;
        return start_mixed<Formula, int64_t>(stream, layout, values), true;
      }
    }
    if constexpr (Formula::types & TOCHA_TAKES_BOOL) {
      if (args.compute == TOCHA_BOOL) {
        Values<unsigned char> values = values_of<unsigned char>(args, layout.operands);
        if (dtype == TOCHA_BOOL)
          return start_typed<Formula, unsigned char>(stream, layout, values), true;
        return start_mixed<Formula, unsigned char>(stream, layout, values), true;
      }
    }
    return fail(stream->state, "no kernel of %s for compute type %d", args.formula->name,
                (int)args.compute);
  });
}

} // namespace
} // namespace tocha
