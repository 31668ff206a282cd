/* random.cu: tensors of random numbers. As in PyTorch, thread t of N takes the elements t, t + N, t
 * + 2 N, ... (in the order of memory): neighbours write neighbours, and one block of words serves
 * as many elements as it has values. */
#include "random.h"

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
  explicit Anywhere(const tocha_walk &walk) : offsets(walk), dtype(walk.dtype[0]) {}
  template <class V> __device__ void put(char *data, unsigned i, V value) const {
    unsigned at[1];
    offsets.at(i, at);
    store<V>(data + at[0], dtype, value);
  }
};

template <class Source, class Distribution, class Place>
__global__ void __launch_bounds__(BLOCK_THREADS)
    draw(Distribution distribution, Place place, Stream stream, char *data, unsigned n) {
  unsigned thread = first_item<unsigned>(), threads = item_step<unsigned>();
  unsigned block = 0;
  for (unsigned i = thread; i < n; i += threads * Source::COUNT, block++) {
    typename Source::Value values[Source::COUNT];
    Source::take(stream.words(thread, block), values);
    UNROLL
    for (unsigned k = 0; k < Source::COUNT; k++)
      if (i + k * threads < n) place.put(data, i + k * threads, distribution(values[k]));
  }
}

template <class Source, class Distribution, class Place>
void start(Queue *queue, const tocha_draw_job &job, const Place &place) {
  LAUNCH((draw<Source, Distribution, Place>), static_cast<unsigned>(job.blocks), BLOCK_THREADS, 0,
         queue->cuda(), Distribution(job), place, Stream(job.seed, job.offset),
         static_cast<char *>(job.walk.data[0]), static_cast<unsigned>(job.walk.numel));
}

bool is_dense(const tocha_walk &walk, int item) {
  return walk.ndim == 0 || (walk.ndim == 1 && (walk.strides[0][0] == item || walk.sizes[0] == 1));
}

/* The common distributions have loops of their own for dense tensors. */
template <class Source, class Distribution, class T>
void start_typed(Queue *queue, const tocha_draw_job &job) {
  if (is_dense(job.walk, sizeof(T)))
    start<Source, Distribution>(queue, job, Dense<T>());
  else
    start<Source, Distribution>(queue, job, Anywhere(job.walk));
}

void start_uniform(Queue *queue, const tocha_draw_job &job) {
  switch (job.walk.dtype[0]) {
  case TOCHA_FLOAT16:
    return start_typed<Units, Uniform<float16, float>, float16>(queue, job);
  case TOCHA_BFLOAT16:
    return start_typed<Units, Uniform<bfloat16, float>, bfloat16>(queue, job);
  case TOCHA_FLOAT32:
    return start_typed<Units, Uniform<float, float>, float>(queue, job);
  default:
    return start_typed<WideUnits, Uniform<double, double>, double>(queue, job);
  }
}

void start_normal(Queue *queue, const tocha_draw_job &job) {
  switch (job.walk.dtype[0]) {
  case TOCHA_FLOAT16:
    return start_typed<Normals, Normal<float>, float16>(queue, job);
  case TOCHA_BFLOAT16:
    return start_typed<Normals, Normal<float>, bfloat16>(queue, job);
  case TOCHA_FLOAT32:
    return start_typed<Normals, Normal<float>, float>(queue, job);
  default:
    return start_typed<WideNormals, Normal<double>, double>(queue, job);
  }
}

template <template <class> class Distribution, class Source, class Wide>
void start_either(Queue *queue, const tocha_draw_job &job) {
  if (job.walk.dtype[0] == TOCHA_FLOAT64)
    start<Wide, Distribution<double>>(queue, job, Anywhere(job.walk));
  else
    start<Source, Distribution<float>>(queue, job, Anywhere(job.walk));
}

} // namespace

bool launch_draw(Queue *queue, const tocha_draw_job &work) {
  switch (work.kind) {
  case TOCHA_DRAW_UNIFORM:
    start_uniform(queue, work);
    break;
  case TOCHA_DRAW_NORMAL:
    start_normal(queue, work);
    break;
  case TOCHA_DRAW_LOG_NORMAL:
    start_either<LogNormal, Normals, WideNormals>(queue, work);
    break;
  case TOCHA_DRAW_EXPONENTIAL:
    start_either<Exponential, Units, WideUnits>(queue, work);
    break;
  case TOCHA_DRAW_CAUCHY:
    start_either<Cauchy, Units, WideUnits>(queue, work);
    break;
  case TOCHA_DRAW_GEOMETRIC:
    start_either<Geometric, Units, WideUnits>(queue, work);
    break;
  case TOCHA_DRAW_BERNOULLI:
    start_either<Bernoulli, Units, WideUnits>(queue, work);
    break;
  default:
    if (work.wide)
      start<WideBits, Integers>(queue, work, Anywhere(work.walk));
    else
      start<Bits, Integers>(queue, work, Anywhere(work.walk));
  }
  return launched(queue);
}

} // namespace tocha
