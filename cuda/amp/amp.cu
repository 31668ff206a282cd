/* amp.cu: what mixed precision and clipping do to all gradients at once, without a word to the
 * host: scaling with a look for infinities, norms, the update of a scale. */
#include "amp/launch.h"
#include "common/block.h"
#include "common/list.h"

#include <cmath>

namespace tocha {
namespace {

/* --- scaling ---------------------------------------------------------------------------------- */

template <int V, class T, class C> __device__ inline bool scale_vector(T *data, C factor) {
  Vec<T, V> values = load_vec<V>(data);
  bool bad = false;
  UNROLL
  for (int j = 0; j < V; j++) {
    C x = convert<C>(values[j]);
    bad |= x - x != 0; /* infinite or NaN */
    values[j] = convert<T>(x * factor);
  }
  store_vec(data, values);
  return bad;
}

template <class T>
__global__ void scale_list(const List<1> list, const void *factor, bool wide_factor, float *found) {
  typedef typename Arithmetic<T>::type C;
  enum { V = 16 / sizeof(T) };
  C by = static_cast<C>(wide_factor ? *static_cast<const double *>(factor)
                                    : static_cast<double>(*static_cast<const float *>(factor)));
  const Chunk chunk = list.chunk_of(blockIdx.x);
  const int n = chunk.length;
  T *data = static_cast<T *>(list.data[0][chunk.tensor]) + chunk.begin;
  int vectors = reinterpret_cast<uintptr_t>(data) % 16 == 0 ? n / V : 0;
  bool bad = false;
  for (int i = threadIdx.x; i < vectors; i += BLOCK_THREADS)
    bad |= scale_vector<V>(data + i * V, by);
  for (int i = vectors * V + threadIdx.x; i < n; i += BLOCK_THREADS)
    bad |= scale_vector<1>(data + i, by);
  if (bad && found) *found = 1; /* any number of threads write the same */
}

template <class T> bool start_scaling(Stream *stream, const tocha_scale_list_args &work) {
  for_lists<1>(
      work.items, work.count, true,
      [](List<1> &list, int at, const tocha_list_item &item) { list.data[0][at] = item.data; },
      [&](const List<1> &list, unsigned blocks) {
        LAUNCH((scale_list<T>), blocks, BLOCK_THREADS, 0, stream->cuda(), list, work.factor,
               work.wide_factor, work.found);
      });
  return launched(stream);
}

/* --- norms ------------------------------------------------------------------------------------ */

enum Kind { SQUARES, MAGNITUDES, LARGEST, COUNT, POWERS };

Kind kind_of(double order) {
  return order == 2          ? SQUARES
         : order == 1        ? MAGNITUDES
         : order == 0        ? COUNT
         : std::isinf(order) ? LARGEST
                             : POWERS;
}

/* What sums up to a norm: |x|^order is added, or the largest |x| kept (a NaN stays). */
struct Norm {
  double order;
  long long kind; /* a Kind; a whole word: no gap */
  template <class C> __device__ C term(C x) const {
    switch (kind) {
    case SQUARES:
      return x * x;
    case COUNT:
      return static_cast<C>(x != 0);
    case POWERS:
      return static_cast<C>(pow(fabs(x), static_cast<C>(order)));
    default:
      return fabs(x);
    }
  }
  template <class C> __device__ C operator()(C a, C b) const {
    return kind == LARGEST ? greater(a, b) : a + b;
  }
  __device__ double root(double total) const {
    return kind == SQUARES ? sqrt(total) : kind == POWERS ? pow(total, 1 / order) : total;
  }
};

__device__ inline double rounded_norm(double x, bool wide) {
  return wide ? x : static_cast<double>(static_cast<float>(x));
}

template <class T> __global__ void partial_norms(const List<1> list, Norm norm, double *partial) {
  typedef typename Arithmetic<T>::type C;
  enum { V = 16 / sizeof(T) };
  const Chunk chunk = list.chunk_of(blockIdx.x);
  const int n = chunk.length;
  const T *data = static_cast<const T *>(list.data[0][chunk.tensor]) + chunk.begin;
  int vectors = reinterpret_cast<uintptr_t>(data) % 16 == 0 ? n / V : 0;
  C total = 0;
  for (int i = threadIdx.x; i < vectors; i += BLOCK_THREADS) {
    Vec<T, V> values = load_vec<V>(data + i * V);
    UNROLL
    for (int j = 0; j < V; j++) total = norm(total, norm.term(convert<C>(values[j])));
  }
  for (int i = vectors * V + threadIdx.x; i < n; i += BLOCK_THREADS)
    total = norm(total, norm.term(convert<C>(data[i])));
  double whole = block_joined(static_cast<double>(total), norm);
  if (threadIdx.x == 0) partial[blockIdx.x] = whole;
}

/* A block for each tensor: the sums of its chunks. */
__global__ void finish_norms(const List<1> list, Norm norm, const double *partial, bool wide,
                             double *norms) {
  double total = 0;
  for (unsigned i = list.first[blockIdx.x] + threadIdx.x; i < list.first[blockIdx.x + 1];
       i += BLOCK_THREADS)
    total = norm(total, partial[i]);
  total = block_joined(total, norm);
  if (threadIdx.x == 0) norms[blockIdx.x] = rounded_norm(norm.root(total), wide);
}

template <class T> bool start_norms(Stream *stream, const tocha_norms_args &work) {
  Norm norm = {work.order, kind_of(work.order)};
  double *norms = work.norms;
  bool wide = work.dtype == TOCHA_FLOAT64;
  for_lists<1>(
      work.items, work.count, false,
      [](List<1> &list, int at, const tocha_list_item &item) {
        list.data[0][at] = READ_ONLY(item.data);
      },
      [&](const List<1> &list, unsigned blocks) {
        if (blocks)
          LAUNCH((partial_norms<T>), blocks, BLOCK_THREADS, 0, stream->cuda(), list, norm,
                 work.partial);
        LAUNCH(finish_norms, list.count, BLOCK_THREADS, 0, stream->cuda(), list, norm, work.partial,
               wide, norms);
        norms += list.count;
      });
  return launched(stream);
}

__global__ void total_norm(const double *norms, long long count, Norm norm, void *out, int dtype) {
  double total = 0;
  for (long long i = threadIdx.x; i < count; i += BLOCK_THREADS)
    total = norm(total, norm.term(norms[i]));
  total = block_joined(total, norm);
  if (threadIdx.x == 0) store(out, dtype, rounded_norm(norm.root(total), dtype == TOCHA_FLOAT64));
}

/* --- the scale of GradScaler ------------------------------------------------------------------ */

__global__ void update_scale(float *scale, int *tracker, const float *found, double growth,
                             double backoff, long long interval) {
  if (*found != 0) {
    *scale = static_cast<float>(*scale * backoff);
    *tracker = 0;
  } else if (*tracker + 1LL != interval) {
    ++*tracker;
  } else {
    float larger = static_cast<float>(*scale * growth);
    if (larger - larger == 0) *scale = larger; /* finite */
    *tracker = 0;
  }
}

} // namespace

bool launch_scale_list(Stream *stream, const tocha_scale_list_args &work) {
  return with_floating(
      work.dtype, [&](auto t) { return start_scaling<typename decltype(t)::type>(stream, work); });
}

bool launch_norms(Stream *stream, const tocha_norms_args &work) {
  return with_floating(
      work.dtype, [&](auto t) { return start_norms<typename decltype(t)::type>(stream, work); });
}

bool launch_total_norm(Stream *stream, const tocha_total_norm_args &work) {
  Norm norm = {work.order, kind_of(work.order)};
  LAUNCH(total_norm, 1, BLOCK_THREADS, 0, stream->cuda(), work.norms, work.count, norm, work.total,
         static_cast<int>(work.dtype));
  return launched(stream);
}

bool launch_update_scale(Stream *stream, const tocha_update_scale_args &work) {
  LAUNCH(update_scale, 1, 1, 0, stream->cuda(), work.scale, work.tracker, work.found, work.growth,
         work.backoff, work.interval);
  return launched(stream);
}

} // namespace tocha
