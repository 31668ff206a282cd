/* elementwise.h: the one kernel template of elementwise formulas. The build makes a file of each list file's
 * formulas (build/generated/pointwise/elementwise_NAME.cu), which includes this one: the files are compiled
 * side by side.
 *
 * A formula is a struct with its facts and a function `value`; it becomes, for each compute type it has,
 *   elementwise  for every type S that is computed in it (float32: float, float16, bfloat16): all
 *                operands are of type S (the output of a comparison: bool), with any strides;
 *                16-byte accesses where the inner dimension is dense and aligned
 *   mixed        for operands of any types, which are known at run time only
 * Operands that are numbers travel as values. */
#pragma once

#include <type_traits>

#include "common/launch.h"
#include "pointwise/launch.h"
#include "tensor/math/scalar_math.h"

#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic ignored "-Wtype-limits" /* formulas ask an unsigned char whether it is < 0 */
#endif

namespace tocha {
namespace {

typedef bool (*ElementwiseStart)(Stream *stream, const tocha_elementwise_args &args);

/* --- kernels ---------------------------------------------------------------------------------- */

/* Where N operands lie; operand 0 is the output. */
template <int N> struct Operands {
  Offsets<unsigned, N> offsets;
  unsigned count;       /* elements */
  unsigned vectors;     /* of them, this many times V go by wide accesses, the others one by one */
  char *data[N];        /* NULL: a number */
  signed char dtype[8]; /* of N; a whole word: no gap */
};

template <class T> struct Values {
  T operand[4]; /* of operands that are numbers */
  T p[4];       /* the formula's numbers */
};

/* V elements of operand k from byte `offset` on, each of them the same where its stride is 0. */
template <class S, int V, class T, int N>
__device__ inline void read(T (&to)[V], const Operands<N> &o, int k, unsigned offset, T number) {
  if (!o.data[k] || o.offsets.strides[0][k] == 0) {
    T value = o.data[k] ? convert<T>(*reinterpret_cast<const S *>(o.data[k] + offset)) : number;
    UNROLL for (int j = 0; j < V; j++) to[j] = value;
  } else {
    Vec<S, V> values = load_vec<V>(reinterpret_cast<const S *>(o.data[k] + offset));
    UNROLL for (int j = 0; j < V; j++) to[j] = convert<T>(values[j]);
  }
}

template <class Formula, class S, int V>
__global__ void elementwise(Operands<Formula::inputs + 1> o,
                            Values<typename Arithmetic<S>::type> values) {
  using T = typename Arithmetic<S>::type;
  using R = std::conditional_t<Formula::to_bool, unsigned char, S>;
  enum { N = Formula::inputs + 1 };
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  unsigned offset[N];
  if constexpr (V > 1) {
    for (unsigned i = first; i < o.vectors; i += step) {
      T a[V] = {}, b[V] = {}, c[V] = {};
      Vec<R, V> results;
      o.offsets.at(i * V, offset);
      read<S>(a, o, 1, offset[1], values.operand[1]);
      if constexpr (N > 2) read<S>(b, o, 2, offset[2], values.operand[2]);
      if constexpr (N > 3) read<S>(c, o, 3, offset[3], values.operand[3]);
      UNROLL for (int j = 0; j < V; j++) results[j] =
          convert<R>(Formula::template value<T>(a[j], b[j], c[j], values.p));
      store_vec(reinterpret_cast<R *>(o.data[0] + offset[0]), results);
    }
  }
  for (unsigned i = o.vectors * V + first; i < o.count; i += step) {
    T a[1], b[1] = {}, c[1] = {};
    o.offsets.at(i, offset);
    read<S>(a, o, 1, offset[1], values.operand[1]);
    if constexpr (N > 2) read<S>(b, o, 2, offset[2], values.operand[2]);
    if constexpr (N > 3) read<S>(c, o, 3, offset[3], values.operand[3]);
    *reinterpret_cast<R *>(o.data[0] + offset[0]) =
        convert<R>(Formula::template value<T>(a[0], b[0], c[0], values.p));
  }
}

/* Not inlined: the choice of the type is compiled once a file instead of four times a row. */
template <class T> __device__ __attribute__((noinline)) T load_any(const char *at, int dtype) {
  return load<T>(at, dtype);
}
template <class T>
__device__ __attribute__((noinline)) void store_any(char *at, int dtype, T value) {
  store<T>(at, dtype, value);
}

template <class Formula, class T>
__global__ void mixed(Operands<Formula::inputs + 1> o, Values<T> values) {
  enum { N = Formula::inputs + 1 };
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  unsigned offset[N];
  for (unsigned i = first; i < o.count; i += step) {
    T in[4];
    o.offsets.at(i, offset);
    UNROLL for (int k = 1; k < N; k++) in[k] =
        o.data[k] ? load_any<T>(o.data[k] + offset[k], o.dtype[k]) : values.operand[k];
    using R = std::conditional_t<Formula::to_bool, unsigned char, T>;
    R result = Formula::template value<T>(in[1], N > 2 ? in[N > 2 ? 2 : 0] : T(),
                                          N > 3 ? in[N > 3 ? 3 : 0] : T(), values.p);
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
  Operands<Formula::inputs + 1> o = operands_of<Formula::inputs + 1>(layout);
  LAUNCH((mixed<Formula, T>), blocks_for(stream, o.count), BLOCK_THREADS, 0, stream->cuda(), o,
         values);
}

template <class T> Values<T> values_of(const tocha_elementwise_args &args, int operands) {
  Values<T> values = {};
  for (int k = 1; k < operands; k++) memcpy(&values.operand[k], &args.values[k], sizeof(T));
  memcpy(values.p, args.numbers, sizeof values.p);
  return values;
}

/* The dtype that all operands share (a comparison's output being bool), or -1. */
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
