/* norms.cu: the norms of many tensors, and the norm of those norms. */
#include "amp/launch.h"
#include "common/block.h"
#include "common/list.h"

#include <cmath>

namespace tocha {
namespace {

enum Kind { SQUARES, MAGNITUDES, LARGEST, COUNT, POWERS };

Kind kind_of(double order) {
  return order == 2          ? SQUARES
         : order == 1        ? MAGNITUDES
         : order == 0        ? COUNT
         : std::isinf(order) ? LARGEST
                             : POWERS;
}

/* The operation of a norm: adds |x|^order, or keeps the largest |x| (a NaN stays). */
struct Norm {
  double order;
  long long kind; /* a Kind; a whole word, so that there is no gap */
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

/* Sums the terms of each chunk of the list: one partial sum per block. */
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

/* Computes the norms of all tensors from the partial sums of their chunks: one block per tensor. */
__global__ void finish_norms(const List<1> list, Norm norm, const double *partial, bool wide,
                             double *norms) {
  double total = 0;
  for (unsigned i = list.first[blockIdx.x] + threadIdx.x; i < list.first[blockIdx.x + 1];
       i += BLOCK_THREADS)
    total = norm(total, partial[i]);
  total = block_joined(total, norm);
  if (threadIdx.x == 0) norms[blockIdx.x] = rounded_norm(norm.root(total), wide);
}

template <class T> bool start_norms(Stream *stream, const tocha_norms_args &args) {
  Norm norm = {args.order, kind_of(args.order)};
  double *norms = args.norms;
  bool wide = args.dtype == TOCHA_FLOAT64;
  for_lists<1>(
      args.items, args.count, false,
      [](List<1> &list, int at, const tocha_list_item &item) {
        list.data[0][at] = READ_ONLY(item.data);
      },
      [&](const List<1> &list, unsigned blocks) {
        if (blocks)
          LAUNCH((partial_norms<T>), blocks, BLOCK_THREADS, 0, stream->cuda(), list, norm,
                 args.partial);
        LAUNCH(finish_norms, list.count, BLOCK_THREADS, 0, stream->cuda(), list, norm, args.partial,
               wide, norms);
        norms += list.count;
      });
  return launched(stream);
}

/* Computes the norm of `count` norms in one block. */
__global__ void total_norm(const double *norms, long long count, Norm norm, void *out, int dtype) {
  double total = 0;
  for (long long i = threadIdx.x; i < count; i += BLOCK_THREADS)
    total = norm(total, norm.term(norms[i]));
  total = block_joined(total, norm);
  if (threadIdx.x == 0) store(out, dtype, rounded_norm(norm.root(total), dtype == TOCHA_FLOAT64));
}

} // namespace

bool launch_norms(Stream *stream, const tocha_norms_args &args) {
  return with_floating(
      args.dtype, [&](auto t) { return start_norms<typename decltype(t)::type>(stream, args); });
}

bool launch_total_norm(Stream *stream, const tocha_total_norm_args &args) {
  Norm norm = {args.order, kind_of(args.order)};
  LAUNCH(total_norm, 1, BLOCK_THREADS, 0, stream->cuda(), args.norms, args.count, norm, args.total,
         static_cast<int>(args.dtype));
  return launched(stream);
}

} // namespace tocha
