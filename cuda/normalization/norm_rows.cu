/* norm_rows.cu: normalizes contiguous sets that fit into the registers of a block: one read, one
 * write. */
#include "normalization/norm.h"
#include "normalization/row.h"

namespace tocha {
namespace {

enum { ROW_THREADS = 512 };

/* Loads vectors of contiguous weights or biases, of type S, or `missing` if `of` is NULL. */
template <class S, class A, class T, int EACH>
__device__ inline void load_contiguous(const Norm<T> &n, const S *of, A missing, A (&w)[EACH]) {
  constexpr int W = vec_width<T>();
  UNROLL
  for (int k = 0; k < EACH; k += W) {
    const long long i = index_of<T>(true, k);
    Raw<S, W> raw = {};
    if (of && i < n.length) raw = load_raw<S, W>(of + i);
    UNROLL
    for (int l = 0; l < W; l++) w[k + l] = of ? element<A>(raw, l) : missing;
  }
}

/* Loads the weights or biases of this thread's elements, or `missing` if `of` is NULL. */
template <class A, class T, int EACH>
__device__ inline void load_channels(const Norm<T> &n, const void *of, long long set, bool vectors,
                                     A missing, A (&w)[EACH]) {
  const long long channel = set % n.groups * n.depth;
  if (vectors && n.inner == 1) {
    if (n.narrow)
      load_contiguous(n, of ? static_cast<const T *>(of) + channel : nullptr, missing, w);
    else
      load_contiguous(n, of ? static_cast<const A *>(of) + channel : nullptr, missing, w);
    return;
  }
  const unsigned inner = static_cast<unsigned>(n.inner);
  UNROLL
  for (int k = 0; k < EACH; k++) {
    const unsigned i = static_cast<unsigned>(index_of<T>(vectors, k));
    w[k] =
        i < n.length ? n.parameter(of, channel + (n.depth == 1 ? 0 : i / inner), missing) : missing;
  }
}

/* Normalizes rows (sets, length): a row for each y of the block. */
template <class T, int EACH>
__global__ void __launch_bounds__(ROW_THREADS) norm_rows(const Norm<T> n, const bool vectors) {
  using A = typename Norm<T>::A;
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  const bool there = row < n.sets;
  const long long set = there ? row : 0, length = there ? n.length : 0;
  const A count = static_cast<A>(n.length);
  A x[EACH], w[EACH], b[EACH], sum = 0, squares = 0, mean, rstd;
  load_row<A>(n.in + set * n.length, length, vectors, A(0), x);
  if (n.fixed) {
    mean = n.mean_of(set);
    rstd = n.rstd_of(set);
  } else {
    UNROLL
    for (int k = 0; k < EACH; k++) sum += x[k];
    mean = block_joined(sum, Plus()) / count;
    UNROLL
    for (int k = 0; k < EACH; k++) {
      const A d = index_of<T>(vectors, k) < length ? x[k] - mean : 0;
      squares += d * d;
    }
    squares = block_joined(squares, Plus());
    rstd = n.keep(set, mean, squares, there && threadIdx.x == 0);
  }
  load_channels<A>(n, n.weight, set, vectors, A(1), w);
  load_channels<A>(n, n.bias, set, vectors, A(0), b);
  UNROLL
  for (int k = 0; k < EACH; k++) x[k] = (x[k] - mean) * rstd * w[k] + b[k];
  store_row(n.out + set * n.length, length, vectors, x);
}

/* Computes the gradient of the rows (sets, length). WEIGHTS (layer normalization): each block
 * also sums the gradients of the weights over its rows, into `partial`. */
template <class T, int EACH, bool WEIGHTS>
__global__ void __launch_bounds__(ROW_THREADS)
    norm_rows_backward(const Norm<T> n, const bool vectors) {
  using A = typename Norm<T>::A;
  const A count = static_cast<A>(n.length);
  A w[EACH], weights[EACH] = {}, biases[EACH] = {};
  if (WEIGHTS) load_channels<A>(n, n.weight, 0, vectors, A(1), w);
  for (long long first = static_cast<long long>(blockIdx.x) * blockDim.y; first < n.sets;
       first += static_cast<long long>(gridDim.x) * blockDim.y) {
    const bool there = first + threadIdx.y < n.sets;
    const long long set = there ? first + threadIdx.y : 0, length = there ? n.length : 0;
    const A mean = n.mean_of(set), rstd = n.rstd_of(set);
    A x[EACH], g[EACH];
    load_row<A>(n.in + set * n.length, length, vectors, mean, x);
    load_row<A>(n.grad + set * n.length, length, vectors, A(0), g);
    if (!WEIGHTS) load_channels<A>(n, n.weight, set, vectors, A(1), w);
    Arriving<A> all = {0, 0};
    UNROLL
    for (int k = 0; k < EACH; k++) {
      x[k] = (x[k] - mean) * rstd;
      if (WEIGHTS) {
        weights[k] += g[k] * x[k];
        biases[k] += g[k];
      }
      if (!n.batches) g[k] *= w[k];
      all.sum += g[k];
      all.dot += g[k] * x[k];
    }
    all = block_joined(all, JoinArriving());
    if (n.batches && there && threadIdx.x == 0) {
      if (n.grad_weight) n.grad_weight[set] = all.dot;
      if (n.grad_bias) n.grad_bias[set] = all.sum;
    }
    if (!n.out) continue;
    const A scale = n.batches ? w[0] * rstd : rstd;
    const A sum = n.fixed ? 0 : all.sum / count, dot = n.fixed ? 0 : all.dot / count;
    UNROLL
    for (int k = 0; k < EACH; k++) x[k] = (g[k] - sum - x[k] * dot) * scale;
    store_row(n.out + set * n.length, length, vectors, x);
  }
  if (!WEIGHTS) return;
  A *partial = n.partial + static_cast<long long>(blockIdx.x) * 2 * n.length;
  UNROLL
  for (int k = 0; k < EACH; k++) {
    const long long i = index_of<T>(vectors, k);
    const A weight = columns_joined(weights[k], Plus()), bias = columns_joined(biases[k], Plus());
    if (threadIdx.y != 0 || i >= n.length) continue;
    partial[i] = weight;
    partial[n.length + i] = bias;
  }
}

/* --- launches --------------------------------------------------------------------------------- */

dim3 block_of(const tocha_norm_args &j, int each) {
  unsigned x = 1, y = 1;
  while (x * each < j.length) x *= 2;
  while (x * y < 32 || (x * y < 128 && y < j.sets)) y *= 2;
  return dim3(x, y);
}

bool is_aligned(const void *at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; }

template <class T> bool takes_vectors(const tocha_norm_args &j) {
  return j.length % vec_width<T>() == 0 && is_aligned(j.in) && is_aligned(j.grad) &&
         is_aligned(j.out) && is_aligned(j.weight) && is_aligned(j.bias);
}

unsigned blocks_over(const tocha_norm_args &j, dim3 block) {
  return static_cast<unsigned>((j.sets + block.y - 1) / block.y);
}

template <class T, int EACH> void start(Stream *stream, const tocha_norm_args &j) {
  const dim3 block = block_of(j, EACH);
  LAUNCH((norm_rows<T, EACH>), blocks_over(j, block), block, 0, stream->cuda(), Norm<T>(j),
         takes_vectors<T>(j));
}

template <class T, int EACH>
bool start_backward(Stream *stream, const tocha_norm_args &j, bool weights) {
  const dim3 block = block_of(j, EACH);
  unsigned blocks = blocks_over(j, block);
  if (!weights) {
    LAUNCH((norm_rows_backward<T, EACH, false>), blocks, block, 0, stream->cuda(), Norm<T>(j),
           takes_vectors<T>(j));
    return launched(stream);
  }
  const long long maximum = tocha_norm_row_parts(j.length);
  if (blocks > maximum) blocks = static_cast<unsigned>(maximum);
  LAUNCH((norm_rows_backward<T, EACH, true>), blocks, block, 0, stream->cuda(), Norm<T>(j),
         takes_vectors<T>(j));
  return launch_join_weights(stream, j, j.length, blocks);
}

} // namespace

bool norm_is_of_layers(const tocha_norm_args &j) {
  return j.runs == 1 && j.inner == 1 && j.groups == 1 && !tocha_norm_of_batches(&j);
}

bool norm_takes_rows(const tocha_norm_args &j) {
  return j.runs == 1 && j.length <= (j.dtype == TOCHA_FLOAT64 ? 8 : 16) * ROW_THREADS;
}

bool launch_rows(Stream *stream, const tocha_norm_args &j) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    if (j.length <= 8 * ROW_THREADS)
      start<T, 8>(stream, j);
    else if constexpr (sizeof(T) < 8)
      start<T, 16>(stream, j);
  });
  return launched(stream);
}

bool launch_rows_backward(Stream *stream, const tocha_norm_args &j) {
  const bool weights = (j.grad_weight || j.grad_bias) && norm_is_of_layers(j);
  return with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    if constexpr (sizeof(T) < 8)
      if (j.length > 8 * ROW_THREADS) return start_backward<T, 16>(stream, j, weights);
    return start_backward<T, 8>(stream, j, weights);
  });
}

} // namespace tocha
