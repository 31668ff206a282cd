/* convert_float8.cu: copies that convert float8 elements from or to other types. */
#include "tensor/float8.h"
#include "common/launch.h"
#include "tensor/math/float8.h"

namespace tocha {
namespace {

/* An element of a float8 dtype, as it is stored. */
template <int DTYPE> struct Float8 { unsigned char code; };

template <int DTYPE> __device__ inline float number_of(Float8<DTYPE> x) {
  return tocha_float8_to_float(x.code, static_cast<tocha_dtype>(DTYPE));
}
template <class T> __device__ inline float number_of(T x) { return from_stored<float>(x); }

/* Converts a number to a stored element. */
template <class S> struct Stored {
  __device__ static S of(float x) { return to_stored<S>(x); }
};
template <int DTYPE> struct Stored<Float8<DTYPE>> {
  __device__ static Float8<DTYPE> of(float x) {
    return {tocha_float_to_float8(x, static_cast<tocha_dtype>(DTYPE))};
  }
};

/* Calls f(Type<S>()) for the type in which elements of any dtype are stored, float8 dtypes
 * included, on the device. */
template <class F> __device__ inline void with_any_stored(int dtype, F f) {
  switch (dtype) {
  case TOCHA_FLOAT8_E4M3FN:
    return f(Type<Float8<TOCHA_FLOAT8_E4M3FN>>());
  case TOCHA_FLOAT8_E5M2:
    return f(Type<Float8<TOCHA_FLOAT8_E5M2>>());
  case TOCHA_FLOAT8_E4M3FNUZ:
    return f(Type<Float8<TOCHA_FLOAT8_E4M3FNUZ>>());
  case TOCHA_FLOAT8_E5M2FNUZ:
    return f(Type<Float8<TOCHA_FLOAT8_E5M2FNUZ>>());
  case TOCHA_FLOAT8_E8M0FNU:
    return f(Type<Float8<TOCHA_FLOAT8_E8M0FNU>>());
  default:
    return with_stored(dtype, f);
  }
}

struct Conversion {
  Offsets<unsigned, 2> offsets;
  unsigned count, vectors; /* number of groups of V elements that use wide accesses */
  char *to, *from;
  int to_dtype, from_dtype;
};

/* Converts between a float8 type and the types of values, by wide accesses. */
template <class To, class From, int V> __global__ void convert_float8_typed(Conversion c) {
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  for (unsigned i = first; i < c.vectors; i += step) {
    unsigned offset[2];
    c.offsets.at(i * V, offset);
    Vec<From, V> x =
        load_vec<V>(reinterpret_cast<const From *>(c.from + static_cast<int>(offset[1])));
    Vec<To, V> y;
    UNROLL for (int j = 0; j < V; j++) y[j] = Stored<To>::of(number_of(x[j]));
    store_vec(reinterpret_cast<To *>(c.to + offset[0]), y);
  }
  for (unsigned i = c.vectors * V + first; i < c.count; i += step) {
    unsigned offset[2];
    c.offsets.at(i, offset);
    From x = *reinterpret_cast<const From *>(c.from + static_cast<int>(offset[1]));
    *reinterpret_cast<To *>(c.to + offset[0]) = Stored<To>::of(number_of(x));
  }
}

/* Converts between any two types through float. */
__global__ void convert_float8_any(Conversion c) {
  for (unsigned i = first_item<unsigned>(); i < c.count; i += item_step<unsigned>()) {
    unsigned offset[2];
    c.offsets.at(i, offset);
    const char *from = c.from + static_cast<int>(offset[1]);
    char *to = c.to + offset[0];
    float value = 0;
    with_any_stored(c.from_dtype, [&](auto type) {
      using S = typename decltype(type)::type;
      value = number_of(*reinterpret_cast<const S *>(from));
    });
    with_any_stored(c.to_dtype, [&](auto type) {
      using S = typename decltype(type)::type;
      *reinterpret_cast<S *>(to) = Stored<S>::of(value);
    });
  }
}

template <class To, class From>
bool start_typed(Stream *stream, const tocha_strided_layout &layout, Conversion c) {
  enum { BYTES = sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From), V = 16 / BYTES };
  const int item[] = {sizeof(To), sizeof(From)};
  c.vectors = layout.strides[1][0] ? count_vectors(layout, item, V) : 0; /* a source that repeats
                                                                          * has no vectors */
  LAUNCH((convert_float8_typed<To, From, V>), blocks_for(stream, c.vectors ? c.vectors : c.count),
         BLOCK_THREADS, 0, stream->cuda(), c);
  return true;
}

/* Starts the typed kernel for a float8 type on one side and a type of values on the other. Returns
 * false if there is none. */
template <class S>
bool start_narrow(Stream *stream, const tocha_strided_layout &layout, const Conversion &c,
                  int float8) {
  const bool narrows = c.to_dtype == float8;
  switch (narrows ? c.from_dtype : c.to_dtype) {
  case TOCHA_FLOAT32:
    return narrows ? start_typed<S, float>(stream, layout, c)
                   : start_typed<float, S>(stream, layout, c);
  case TOCHA_FLOAT16:
    return narrows ? start_typed<S, float16>(stream, layout, c)
                   : start_typed<float16, S>(stream, layout, c);
  case TOCHA_BFLOAT16:
    return narrows ? start_typed<S, bfloat16>(stream, layout, c)
                   : start_typed<bfloat16, S>(stream, layout, c);
  default:
    return false;
  }
}

/* Starts the typed kernel of the two float8 types that products take. */
bool start_fast(Stream *stream, const tocha_strided_layout &layout, const Conversion &c) {
  if (c.to_dtype == TOCHA_FLOAT8_E4M3FN || c.from_dtype == TOCHA_FLOAT8_E4M3FN)
    return start_narrow<Float8<TOCHA_FLOAT8_E4M3FN>>(stream, layout, c, TOCHA_FLOAT8_E4M3FN);
  if (c.to_dtype == TOCHA_FLOAT8_E5M2 || c.from_dtype == TOCHA_FLOAT8_E5M2)
    return start_narrow<Float8<TOCHA_FLOAT8_E5M2>>(stream, layout, c, TOCHA_FLOAT8_E5M2);
  return false;
}

} // namespace

bool start_float8_conversion(Stream *stream, const tocha_strided_layout &given) {
  return in_32_bit_parts(given, [&](const tocha_strided_layout &layout) {
    Conversion c = {};
    c.offsets = Offsets<unsigned, 2>(layout);
    c.count = static_cast<unsigned>(layout.numel);
    c.to = static_cast<char *>(layout.data[0]);
    c.from = READ_ONLY(static_cast<char *>(layout.data[1]));
    c.to_dtype = layout.dtype[0];
    c.from_dtype = layout.dtype[1];
    if (start_fast(stream, layout, c)) return true;
    LAUNCH(convert_float8_any, blocks_for(stream, c.count), BLOCK_THREADS, 0, stream->cuda(), c);
    return true;
  });
}

} // namespace tocha
