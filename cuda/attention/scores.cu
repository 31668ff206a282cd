/* scores.cu: processes a block of scores (matrices, rows, columns) between two products: a block
 * of threads for each row. Rows of up to EACH scores per thread stay in registers; longer ones
 * are read three times. */
#include "attention/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

enum { EACH = 16 };

/* A row of scores. T: type of the scores; K: type of the weights. */
template <class T, class K> struct Row {
  const T *scores, *mask, *slopes;
  K *weights, *weight_slopes;
  long long number, columns, seen; /* number: index in logsumexp */
};

template <class T, class K>
__device__ inline Row<T, K> row_of(const tocha_score_block &b, long long i) {
  const long long matrix = i / b.rows, r = i % b.rows, index = b.first + matrix;
  const long long query = b.query + r, head = index % b.key_heads * b.group + b.member;
  Row<T, K> row = {};
  row.number = matrix * b.apart + r;
  row.columns = row.seen = b.columns;
  row.scores = static_cast<const T *>(b.scores) + i * b.columns;
  row.weights = static_cast<K *>(b.weights) + i * b.columns;
  if (b.slopes) {
    row.slopes = static_cast<const T *>(b.slopes) + i * b.columns;
    row.weight_slopes = static_cast<K *>(b.weight_slopes) + i * b.columns;
  }
  if (b.mask.data)
    row.mask = static_cast<const T *>(b.mask.data) + index / b.key_heads * b.mask.batch +
               head * b.mask.head + query * b.mask.row;
  if (b.causal && query + 1 < b.columns) row.seen = query + 1;
  return row;
}

template <class T, class K>
__device__ inline T score(const tocha_score_block &b, const Row<T, K> &row, long long j) {
  return row.mask ? row.scores[j] + row.mask[j * b.mask.column] : row.scores[j];
}

/* Stores the logarithm of a row's sum. Returns the factor of the row's exponentials. */
template <class T>
__device__ inline T finish(const tocha_score_block &b, long long number, T best, T sum) {
  const T nothing = -static_cast<T>(INFINITY);
  if (threadIdx.x == 0)
    static_cast<T *>(b.logsumexp)[number] = best == nothing ? nothing : best + log(sum);
  return best == nothing ? 0 : 1 / sum;
}

/* Computes the weights of short rows (matrices, rows, columns): their softmax. */
template <class T, class K>
__global__ void __launch_bounds__(BLOCK_THREADS) short_rows(const tocha_score_block b) {
  const T nothing = -static_cast<T>(INFINITY);
  for (long long i = blockIdx.x; i < b.matrices * b.rows; i += gridDim.x) {
    const Row<T, K> row = row_of<T, K>(b, i);
    T x[EACH], best = nothing, sum = 0;
    UNROLL
    for (int k = 0; k < EACH; k++) {
      const long long j = k * blockDim.x + threadIdx.x;
      x[k] = j < row.seen ? score(b, row, j) : nothing;
    }
    UNROLL
    for (int k = 0; k < EACH; k++) best = greater(best, x[k]);
    best = block_joined(best, Greater());
    const T shift = best == nothing ? 0 : best;
    UNROLL
    for (int k = 0; k < EACH; k++) {
      x[k] = exp(x[k] - shift);
      sum += x[k];
    }
    const T share = finish(b, row.number, best, block_joined(sum, Plus()));
    UNROLL
    for (int k = 0; k < EACH; k++) {
      const long long j = k * blockDim.x + threadIdx.x;
      if (j < row.columns) row.weights[j] = convert<K>(x[k] * share);
    }
  }
}

/* Computes the weights of long rows (matrices, rows, columns): their softmax. */
template <class T, class K>
__global__ void __launch_bounds__(BLOCK_THREADS) long_rows(const tocha_score_block b) {
  const T nothing = -static_cast<T>(INFINITY);
  for (long long i = blockIdx.x; i < b.matrices * b.rows; i += gridDim.x) {
    const Row<T, K> row = row_of<T, K>(b, i);
    T best = nothing, sum = 0;
    for (long long j = threadIdx.x; j < row.seen; j += blockDim.x)
      best = greater(best, score(b, row, j));
    best = block_joined(best, Greater());
    const T shift = best == nothing ? 0 : best;
    for (long long j = threadIdx.x; j < row.seen; j += blockDim.x)
      sum += exp(score(b, row, j) - shift);
    const T share = finish(b, row.number, best, block_joined(sum, Plus()));
    for (long long j = threadIdx.x; j < row.columns; j += blockDim.x)
      row.weights[j] = convert<K>(j < row.seen ? exp(score(b, row, j) - shift) * share : T(0));
  }
}

/* Computes the weights (matrices, rows, columns) again, and the gradients of the scores. */
template <class T, class K>
__global__ void __launch_bounds__(BLOCK_THREADS) slope_rows(const tocha_score_block b) {
  const T nothing = -static_cast<T>(INFINITY);
  for (long long i = blockIdx.x; i < b.matrices * b.rows; i += gridDim.x) {
    const Row<T, K> row = row_of<T, K>(b, i);
    const T all = static_cast<const T *>(b.logsumexp)[row.number];
    const T subtract = all == nothing ? 0 : all;
    const T mean = static_cast<const T *>(b.means)[row.number], scale = static_cast<T>(b.scale);
    for (long long first = threadIdx.x; first < row.columns; first += 4 * blockDim.x) {
      T x[4], slope[4];
      UNROLL
      for (int k = 0; k < 4; k++) {
        const long long j = first + k * blockDim.x;
        x[k] = j < row.seen ? score(b, row, j) : nothing;
        slope[k] = j < row.seen ? row.slopes[j] : 0;
      }
      UNROLL
      for (int k = 0; k < 4; k++) {
        const long long j = first + k * blockDim.x;
        if (j >= row.columns) continue;
        const T p = exp(x[k] - subtract);
        row.weights[j] = convert<K>(p);
        row.weight_slopes[j] = convert<K>(j < row.seen ? p * (slope[k] - mean) * scale : T(0));
      }
    }
  }
}

unsigned threads_for(const tocha_score_block &b) {
  unsigned threads = 32;
  while (threads < BLOCK_THREADS && threads * 8 < b.columns) threads *= 2;
  return threads;
}

unsigned blocks_of(const tocha_score_block &b) {
  const long long rows = b.matrices * b.rows;
  return static_cast<unsigned>(rows < (1 << 20) ? rows : 1 << 20);
}

/* Calls f(Type<T>(), Type<K>()) for the types of scores and of weights. */
template <class F> bool with_types(Stream *stream, const tocha_score_block &b, F f) {
  if (b.kept == b.dtype)
    with_floating(static_cast<int>(b.dtype), [&](auto t) {
      if constexpr (sizeof(typename decltype(t)::type) > 2) f(t, t);
    });
  else
    with_floating(static_cast<int>(b.kept), [&](auto k) {
      if constexpr (sizeof(typename decltype(k)::type) == 2) f(Type<float>(), k);
    });
  return launched(stream);
}

} // namespace

bool launch_block_weights(Stream *stream, const tocha_score_block &args) {
  tocha_score_block b = args;
  b.mask.data = READ_ONLY(args.mask.data);
  return with_types(stream, b, [&](auto t, auto k) {
    using T = typename decltype(t)::type;
    using K = typename decltype(k)::type;
    const unsigned threads = threads_for(b);
    if (b.columns <= static_cast<long long>(threads) * EACH)
      LAUNCH((short_rows<T, K>), blocks_of(b), threads, 0, stream->cuda(), b);
    else
      LAUNCH((long_rows<T, K>), blocks_of(b), threads, 0, stream->cuda(), b);
  });
}

bool launch_block_slopes(Stream *stream, const tocha_score_block &args) {
  tocha_score_block b = args;
  b.mask.data = READ_ONLY(args.mask.data);
  b.logsumexp = const_cast<void *>(READ_ONLY(static_cast<const void *>(args.logsumexp)));
  b.means = READ_ONLY(args.means);
  return with_types(stream, b, [&](auto t, auto k) {
    using T = typename decltype(t)::type;
    using K = typename decltype(k)::type;
    LAUNCH((slope_rows<T, K>), blocks_of(b), threads_for(b), 0, stream->cuda(), b);
  });
}

} // namespace tocha
