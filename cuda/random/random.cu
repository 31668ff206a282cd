/* random.cu: fills tensors with random numbers. As in PyTorch, thread t of N takes the elements
 * t, t + N, t + 2 N, ... (in the order of memory), so that neighbouring threads write
 * neighbouring elements. One block of words serves as many elements as it has values. */
#include "random/launch.h"
#include "random/sampling.h"

namespace tocha {
namespace {

/* Writes to elements that are contiguous. */
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

/* Draws n numbers; thread t of N takes the elements t, t + N, ... */
template <class Source, class Distribution, class Place>
__global__ void __launch_bounds__(BLOCK_THREADS)
    draw(Distribution distribution, Place place, Philox given, char *data, unsigned n) {
  const Philox random = given.located();
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
  long long n = args.layout->numel;
  unsigned blocks = drawing_blocks(stream, n);
  Philox random(stream, args.generator, words_per_thread(n, blocks, Source::COUNT));
  LAUNCH((draw<Source, Distribution, Place>), blocks, BLOCK_THREADS, 0, stream->cuda(),
         Distribution(args), place, random, static_cast<char *>(args.layout->data[0]),
         static_cast<unsigned>(n));
}

bool is_dense(const tocha_strided_layout &layout, int item) {
  return layout.ndim == 0 ||
         (layout.ndim == 1 && (layout.strides[0][0] == item || layout.sizes[0] == 1));
}

/* Starts the kernel for dense tensors or that for any strides. The common distributions have
 * both. */
template <class Source, class Distribution, class T>
void start_typed(Stream *stream, const tocha_random_args &args) {
  if (is_dense(*args.layout, sizeof(T)))
    start<Source, Distribution>(stream, args, Dense<T>());
  else
    start<Source, Distribution>(stream, args, Anywhere(*args.layout));
}

void start_uniform(Stream *stream, const tocha_random_args &args) {
  switch (args.layout->dtype[0]) {
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
  switch (args.layout->dtype[0]) {
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
  if (args.layout->dtype[0] == TOCHA_FLOAT64)
    start<Wide, Distribution<double>>(stream, args, Anywhere(*args.layout));
  else
    start<Source, Distribution<float>>(stream, args, Anywhere(*args.layout));
}

void start_part(Stream *stream, const tocha_random_args &args) {
  switch (args.distribution) {
  case TOCHA_DISTRIBUTION_UNIFORM:
    return start_uniform(stream, args);
  case TOCHA_DISTRIBUTION_NORMAL:
    return start_normal(stream, args);
  case TOCHA_DISTRIBUTION_LOG_NORMAL:
    return start_either<LogNormal, Normals, WideNormals>(stream, args);
  case TOCHA_DISTRIBUTION_EXPONENTIAL:
    return start_either<Exponential, Units, WideUnits>(stream, args);
  case TOCHA_DISTRIBUTION_CAUCHY:
    return start_either<Cauchy, Units, WideUnits>(stream, args);
  case TOCHA_DISTRIBUTION_GEOMETRIC:
    return start_either<Geometric, Units, WideUnits>(stream, args);
  case TOCHA_DISTRIBUTION_BERNOULLI:
    return start_either<Bernoulli, Units, WideUnits>(stream, args);
  default:
    if (args.wide)
      start<WideBits, Integers>(stream, args, Anywhere(*args.layout));
    else
      start<Bits, Integers>(stream, args, Anywhere(*args.layout));
  }
}

/* --- tensors whose offsets exceed 31 bits, which PyTorch cuts -------------------------------- */

bool is_small(const tocha_strided_layout &layout) {
  long long last = 1;
  for (int d = 0; d < layout.ndim; d++) last += (layout.sizes[d] - 1) * layout.strides[0][d];
  return layout.numel <= INT32_MAX && last <= INT32_MAX;
}

/* Cuts off and returns the first half of a layout along its longest dimension; *layout keeps the
 * rest. */
tocha_strided_layout cut(tocha_strided_layout *layout) {
  int longest = 0;
  int64_t extent = -1;
  for (int d = layout->ndim - 1; d >= 0; d--) {
    int64_t here = (layout->sizes[d] - 1) * layout->strides[0][d];
    if (here > extent) extent = here, longest = d;
  }
  tocha_strided_layout first = *layout;
  int64_t all = layout->sizes[longest], half = all / 2;
  first.sizes[longest] = half;
  first.numel = layout->numel / all * half;
  layout->sizes[longest] = all - half;
  layout->numel -= first.numel;
  layout->data[0] = static_cast<char *>(layout->data[0]) + half * layout->strides[0][longest];
  return first;
}

void start_parts(Stream *stream, const tocha_random_args &args) {
  if (is_small(*args.layout)) return start_part(stream, args);
  tocha_strided_layout rest = *args.layout;
  const tocha_strided_layout first = cut(&rest);
  tocha_random_args part = args;
  part.layout = &first;
  start_parts(stream, part);
  part.layout = &rest;
  start_parts(stream, part);
}

} // namespace

bool launch_random(Stream *stream, const tocha_random_args &args) {
  if (is_small(*args.layout)) {
    start_part(stream, args);
  } else { /* PyTorch takes words for the whole tensor too */
    bool wide = args.distribution == TOCHA_DISTRIBUTION_INTEGERS
                    ? args.wide
                    : args.layout->dtype[0] == TOCHA_FLOAT64;
    unsigned blocks = drawing_blocks(stream, args.layout->numel);
    take_words(stream, args.generator, words_per_thread(args.layout->numel, blocks, wide ? 2 : 4));
    start_parts(stream, args);
  }
  return launched(stream);
}

} // namespace tocha
