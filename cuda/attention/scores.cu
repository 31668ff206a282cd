/* scores.cu: what becomes of a block of scores between two products: a block of threads for each row. The running softmax keeps
 * one number a row, the logarithm of the sum of exp(score) so far; probabilities are exp(score - that), and the sums weighted
 * before are scaled by how much it grew. */
#include "attention/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

/* A row of the block at hand. */
template <class T> struct Row {
  T *scores, *slopes;
  const T *mask;
  long long seen; /* columns */
};

template <class T> __device__ inline Row<T> row_of(const tocha_score_block &b, long long i) {
  const long long index = b.first + i / b.rows, r = i % b.rows, query = r % b.queries;
  const long long group = b.rows / b.queries, head = index % b.key_heads * group + r / b.queries;
  Row<T> row = {static_cast<T *>(b.scores) + i * b.columns, nullptr, nullptr, b.columns};
  if (b.slopes) row.slopes = static_cast<T *>(b.slopes) + i * b.columns;
  if (b.mask.data)
    row.mask = static_cast<const T *>(b.mask.data) + index / b.key_heads * b.mask.batch +
               head * b.mask.head + query * b.mask.row + b.key * b.mask.column;
  if (b.causal) {
    const long long seen = query + 1 - b.key;
    row.seen = seen < 0 ? 0 : seen < b.columns ? seen : b.columns;
  }
  return row;
}

template <class T>
__device__ inline T score(const tocha_score_block &b, const Row<T> &row, long long j) {
  return row.mask ? row.scores[j] + row.mask[j * b.mask.column] : row.scores[j];
}

template <class T>
__global__ void __launch_bounds__(BLOCK_THREADS) add_rows(const tocha_score_block b) {
  const T nothing = -static_cast<T>(INFINITY);
  for (long long i = blockIdx.x; i < b.matrices * b.rows; i += gridDim.x) {
    const Row<T> row = row_of<T>(b, i);
    T *logsumexp = static_cast<T *>(b.logsumexp) + i, *out = static_cast<T *>(b.out) + i * b.width;
    const T before = *logsumexp;
    T best = before, sum = 0;
    for (long long j = threadIdx.x; j < row.seen; j += blockDim.x)
      best = greater(best, score(b, row, j));
    best = block_joined(best, Greater());
    const T shift = best == nothing ? 0 : best;
    for (long long j = threadIdx.x; j < b.columns; j += blockDim.x) {
      const T part = j < row.seen ? exp(score(b, row, j) - shift) : 0;
      row.scores[j] = part;
      sum += part;
    }
    const T held = exp(before - shift);
    sum = block_joined(sum, Plus()) + held;
    const T share = best == nothing ? 0 : 1 / sum;
    const T now = best == nothing ? nothing : shift + log(sum);
    for (long long j = threadIdx.x; j < b.columns; j += blockDim.x) row.scores[j] *= share;
    for (long long j = threadIdx.x; j < b.width; j += blockDim.x) out[j] *= held * share;
    __syncthreads(); /* before is read */
    if (threadIdx.x == 0) *logsumexp = now;
  }
}

template <class T>
__global__ void __launch_bounds__(BLOCK_THREADS) slope_rows(const tocha_score_block b) {
  const T nothing = -static_cast<T>(INFINITY);
  for (long long i = blockIdx.x; i < b.matrices * b.rows; i += gridDim.x) {
    const Row<T> row = row_of<T>(b, i);
    const T all = static_cast<const T *>(b.logsumexp)[i], subtract = all == nothing ? 0 : all;
    const T mean = static_cast<const T *>(b.means)[i], scale = static_cast<T>(b.scale);
    for (long long j = threadIdx.x; j < b.columns; j += blockDim.x) {
      const bool seen = j < row.seen;
      const T p = seen ? exp(score(b, row, j) - subtract) : 0;
      row.scores[j] = p;
      row.slopes[j] = seen ? p * (row.slopes[j] - mean) * scale : 0;
    }
  }
}

int threads_for(const tocha_score_block &b) {
  int threads = 32;
  while (threads < BLOCK_THREADS && threads < b.columns) threads *= 2;
  return threads;
}

unsigned blocks_of(const tocha_score_block &b) {
  const long long rows = b.matrices * b.rows;
  return static_cast<unsigned>(rows < (1 << 20) ? rows : 1 << 20);
}

} // namespace

bool launch_add_block(Stream *stream, const tocha_score_block &args) {
  tocha_score_block b = args;
  b.mask.data = READ_ONLY(args.mask.data);
  const unsigned blocks = blocks_of(b), threads = static_cast<unsigned>(threads_for(b));
  if (b.dtype == TOCHA_FLOAT64)
    LAUNCH((add_rows<double>), blocks, threads, 0, stream->cuda(), b);
  else
    LAUNCH((add_rows<float>), blocks, threads, 0, stream->cuda(), b);
  return launched(stream);
}

bool launch_block_slopes(Stream *stream, const tocha_score_block &args) {
  tocha_score_block b = args;
  b.mask.data = READ_ONLY(args.mask.data);
  b.logsumexp = const_cast<void *>(READ_ONLY(static_cast<const void *>(args.logsumexp)));
  b.means = READ_ONLY(args.means);
  const unsigned blocks = blocks_of(b), threads = static_cast<unsigned>(threads_for(b));
  if (b.dtype == TOCHA_FLOAT64)
    LAUNCH((slope_rows<double>), blocks, threads, 0, stream->cuda(), b);
  else
    LAUNCH((slope_rows<float>), blocks, threads, 0, stream->cuda(), b);
  return launched(stream);
}

} // namespace tocha
