/* random.cu: tensors of random numbers. As in PyTorch, thread t of N takes the elements t, t + N, t
 * + 2 N, ... (in the order of memory): neighbours write neighbours, and one block of words serves
 * as many elements as it has values. */
#include "random/launch.h"
#include "random/sampling.h"

namespace tocha {
namespace {

/* The elements lie one after the other. */
template <class T> struct Dense {
  template <class V> __device__ void put(char *data, unsigned i, V value) const {
    reinterpret_cast<T *>(data)[i] = convert<T>(value);
  }
};

struct Anywhere {
  Offsets<unsigned, 1> offsets;
  int dtype;
  explicit Anywhere(const tocha_strided_layout &layout) : offsets(layout), dtype(layout.dtype[0]) {}
  template <class V> __device__ void put(char *data, unsigned i, V value) const {
    unsigned at[1];
    offsets.at(i, at);
    store<V>(data + at[0], dtype, value);
  }
};

template <class Source, class Distribution, class Place>
__global__ void __launch_bounds__(BLOCK_THREADS)
    draw(Distribution distribution, Place place, Philox random, char *data, unsigned n) {
  unsigned thread = first_item<unsigned>(), threads = item_step<unsigned>();
  unsigned block = 0;
  for (unsigned i = thread; i < n; i += threads * Source::COUNT, block++) {
    typename Source::Value values[Source::COUNT];
    Source::take(random.words(thread, block), values);
    UNROLL
    for (unsigned k = 0; k < Source::COUNT; k++)
      if (i + k * threads < n) place.put(data, i + k * threads, distribution(values[k]));
  }
}

template <class Source, class Distribution, class Place>
void start(Stream *stream, const tocha_random_args &args, const Place &place) {
  LAUNCH((draw<Source, Distribution, Place>), static_cast<unsigned>(args.blocks), BLOCK_THREADS, 0,
         stream->cuda(), Distribution(args), place, Philox(args.seed, args.offset),
         static_cast<char *>(args.layout.data[0]), static_cast<unsigned>(args.layout.numel));
}

bool is_dense(const tocha_strided_layout &layout, int item) {
  return layout.ndim == 0 ||
         (layout.ndim == 1 && (layout.strides[0][0] == item || layout.sizes[0] == 1));
}

/* The common distributions have loops of their own for dense tensors. */
template <class Source, class Distribution, class T>
void start_typed(Stream *stream, const tocha_random_args &args) {
  if (is_dense(args.layout, sizeof(T)))
    start<Source, Distribution>(stream, args, Dense<T>());
  else
    start<Source, Distribution>(stream, args, Anywhere(args.layout));
}

void start_uniform(Stream *stream, const tocha_random_args &args) {
  switch (args.layout.dtype[0]) {
  case TOCHA_FLOAT16:
    return start_typed<Units, Uniform<float16, float>, float16>(stream, args);
  case TOCHA_BFLOAT16:
    return start_typed<Units, Uniform<bfloat16, float>, bfloat16>(stream, args);
  case TOCHA_FLOAT32:
    return start_typed<Units, Uniform<float, float>, float>(stream, args);
  default:
    return start_typed<WideUnits, Uniform<double, double>, double>(stream, args);
  }
}

void start_normal(Stream *stream, const tocha_random_args &args) {
  switch (args.layout.dtype[0]) {
  case TOCHA_FLOAT16:
    return start_typed<Normals, Normal<float>, float16>(stream, args);
  case TOCHA_BFLOAT16:
    return start_typed<Normals, Normal<float>, bfloat16>(stream, args);
  case TOCHA_FLOAT32:
    return start_typed<Normals, Normal<float>, float>(stream, args);
  default:
    return start_typed<WideNormals, Normal<double>, double>(stream, args);
  }
}

template <template <class> class Distribution, class Source, class Wide>
void start_either(Stream *stream, const tocha_random_args &args) {
  if (args.layout.dtype[0] == TOCHA_FLOAT64)
    start<Wide, Distribution<double>>(stream, args, Anywhere(args.layout));
  else
    start<Source, Distribution<float>>(stream, args, Anywhere(args.layout));
}

} // namespace

bool launch_random(Stream *stream, const tocha_random_args &work) {
  switch (work.kind) {
  case TOCHA_DISTRIBUTION_UNIFORM:
    start_uniform(stream, work);
    break;
  case TOCHA_DISTRIBUTION_NORMAL:
    start_normal(stream, work);
    break;
  case TOCHA_DISTRIBUTION_LOG_NORMAL:
    start_either<LogNormal, Normals, WideNormals>(stream, work);
    break;
  case TOCHA_DISTRIBUTION_EXPONENTIAL:
    start_either<Exponential, Units, WideUnits>(stream, work);
    break;
  case TOCHA_DISTRIBUTION_CAUCHY:
    start_either<Cauchy, Units, WideUnits>(stream, work);
    break;
  case TOCHA_DISTRIBUTION_GEOMETRIC:
    start_either<Geometric, Units, WideUnits>(stream, work);
    break;
  case TOCHA_DISTRIBUTION_BERNOULLI:
    start_either<Bernoulli, Units, WideUnits>(stream, work);
    break;
  default:
    if (work.wide)
      start<WideBits, Integers>(stream, work, Anywhere(work.layout));
    else
      start<Bits, Integers>(stream, work, Anywhere(work.layout));
  }
  return launched(stream);
}

} // namespace tocha
