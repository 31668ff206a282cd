/* norm_rows.cu: normalizes contiguous sets that fit into the registers of a block: one read, one
 * write. A thread has E elements in their stored form, in groups of W contiguous ones. */
#include "common/raw.h"
#include "normalization/norm.h"

namespace tocha {
namespace {

/* The maximum numbers of threads of a block, and the elements of a thread in short rows. */
enum { ROW_THREADS = TOCHA_NORM_ROW_THREADS, LAYER_THREADS = 512, SHORT = 8 };

/* Returns the maximum number of elements per thread, which stay in its registers. */
template <class T> HOST_DEVICE constexpr int longest() { return sizeof(T) < 8 ? 32 : 16; }
template <class T> HOST_DEVICE constexpr int longest_layer() { return sizeof(T) < 8 ? 16 : 8; }

/* Returns the index in the row of the first element of a thread's group k. */
template <int W> __device__ inline int first_of(int k) {
  return (k * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x)) * W;
}

/* Loads this thread's groups of the n elements at `from`; zeros if it has none, or if `from` is
 * NULL. */
template <class S, int W, int GROUPS>
__device__ inline void load_groups(const S *from, int n, Raw<S, W> (&groups)[GROUPS]) {
  UNROLL
  for (int k = 0; k < GROUPS; k++) {
    groups[k] = {};
    if (from && first_of<W>(k) < n) groups[k] = load_raw<S, W>(from + first_of<W>(k));
  }
}

/* The weights, or biases, of a thread's elements. S: their stored type, if they are contiguous
 * and were loaded with the row; void, if each is looked up by its channel. */
template <class S, class T, int E, int W> struct Parameters {
  using A = typename Arithmetic<T>::type;
  Raw<S, W> groups[E / W];
  bool given;
  __device__ Parameters(const Norm<T> &n, const void *of, long long set) : given(of != nullptr) {
    const S *own = static_cast<const S *>(of) + set % n.groups * n.depth;
    load_groups<S, W>(given ? own : nullptr, static_cast<int>(n.length), groups);
  }
  __device__ void read(const Norm<T> &, int k, A missing, A (&values)[W]) const {
    UNROLL
    for (int l = 0; l < W; l++) values[l] = given ? element<A>(groups[k], l) : missing;
  }
};

template <class T, int E, int W> struct Parameters<void, T, E, W> {
  using A = typename Arithmetic<T>::type;
  const void *of;
  long long channel;
  __device__ Parameters(const Norm<T> &n, const void *parameters, long long set)
      : of(parameters), channel(set % n.groups * n.depth) {}
  __device__ void read(const Norm<T> &n, int k, A missing, A (&values)[W]) const {
    const unsigned inner = static_cast<unsigned>(n.inner), i = first_of<W>(k);
    const bool each = inner % W != 0;
    UNROLL
    for (int l = 0; l < W; l++) {
      values[l] = l ? values[0] : missing;
      if (i >= n.length || (l && !each)) continue;
      values[l] = n.parameter(of, channel + (inner == 1 ? i + l : (i + l) / inner), missing);
    }
  }
};

struct RowOfThreads {
  bool there;
  long long set;
  int length;
};

/* Returns row number `row`. Behind the last row, threads stand by with row 0, of which they take no
 * elements. */
template <class T> __device__ inline RowOfThreads row_of(const Norm<T> &n, long long row) {
  if (row >= n.sets) return {false, 0, 0};
  return {true, row, static_cast<int>(n.length)};
}

/* Normalizes rows (sets, length): a row for each y of the block. */
template <class T, int E, int W, class S>
__global__ void __launch_bounds__(ROW_THREADS) norm_rows(const Norm<T> n) {
  using A = typename Norm<T>::A;
  enum { GROUPS = E / W };
  const auto [there, set, length] =
      row_of(n, static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y);
  const A count = static_cast<A>(n.length);
  Raw<T, W> x[GROUPS];
  load_groups(n.in + set * n.length, length, x);
  const Parameters<S, T, E, W> weight(n, n.weight, set), bias(n, n.bias, set);
  A sum = 0, squares = 0, mean, rstd;
  if (n.fixed) {
    mean = n.mean_of(set);
    rstd = n.rstd_of(set);
  } else {
    UNROLL
    for (int k = 0; k < E; k++) sum += element<A>(x[k / W], k % W);
    mean = n.about_zero ? 0 : block_joined(sum, Plus()) / count;
    UNROLL
    for (int k = 0; k < GROUPS; k++) {
      if (first_of<W>(k) >= length) break;
      UNROLL
      for (int l = 0; l < W; l++) {
        const A d = element<A>(x[k], l) - mean;
        squares += d * d;
      }
    }
    squares = block_joined(squares, Plus());
    rstd = n.keep(set, mean, squares, there && threadIdx.x == 0);
  }
  UNROLL
  for (int k = 0; k < GROUPS; k++) {
    A w[W], b[W];
    if (first_of<W>(k) >= length) break;
    weight.read(n, k, A(1), w);
    bias.read(n, k, A(0), b);
    Vec<T, W> out;
    UNROLL
    for (int l = 0; l < W; l++)
      out[l] = convert<T>((element<A>(x[k], l) - mean) * rstd * w[l] + b[l]);
    store_vec<W>(n.out + set * n.length + first_of<W>(k), out);
  }
}

/* Converts a group of a row and of its gradient. normal: x, normalized. */
template <class A, class T, int W>
__device__ inline void read_group(const Raw<T, W> &x, const Raw<T, W> &g, A mean, A rstd,
                                  A (&normal)[W], A (&grad)[W]) {
  UNROLL
  for (int l = 0; l < W; l++) {
    normal[l] = (element<A>(x, l) - mean) * rstd;
    grad[l] = element<A>(g, l);
  }
}

/* Stores the gradient of a row from its sums. */
template <class T, int E, int W, class S>
__device__ inline void store_gradient(const Norm<T> &n, long long set, int length,
                                      const Raw<T, W> (&x)[E / W], const Raw<T, W> (&g)[E / W],
                                      const Parameters<S, T, E, W> &weight,
                                      Arriving<typename Norm<T>::A> all) {
  using A = typename Norm<T>::A;
  const A mean = n.mean_of(set), rstd = n.rstd_of(set), count = static_cast<A>(n.length);
  const A sum = n.fixed || n.about_zero ? 0 : all.sum / count;
  const A dot = n.fixed ? 0 : all.dot / count;
  UNROLL
  for (int k = 0; k < E / W; k++) {
    A normal[W], grad[W], w[W];
    if (first_of<W>(k) >= length) break;
    read_group(x[k], g[k], mean, rstd, normal, grad);
    weight.read(n, k, A(1), w);
    Vec<T, W> out;
    UNROLL
    for (int l = 0; l < W; l++)
      out[l] = convert<T>((grad[l] * w[l] - sum - normal[l] * dot) * rstd);
    store_vec<W>(n.out + set * n.length + first_of<W>(k), out);
  }
}

/* Computes the gradient of the rows (sets, length): a row for each y of the block. */
template <class T, int E, int W>
__global__ void __launch_bounds__(ROW_THREADS) norm_rows_backward(const Norm<T> n) {
  using A = typename Norm<T>::A;
  enum { GROUPS = E / W };
  const auto [there, set, length] =
      row_of(n, static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y);
  const A mean = n.mean_of(set), rstd = n.rstd_of(set);
  Raw<T, W> x[GROUPS], g[GROUPS];
  load_groups(n.in + set * n.length, length, x);
  load_groups(n.grad + set * n.length, length, g);
  const Parameters<void, T, E, W> weight(n, n.weight, set);
  Arriving<A> all = {0, 0}; /* of a batch's channel without its weight, for grad_weight */
  UNROLL
  for (int k = 0; k < GROUPS; k++) {
    A normal[W], grad[W], w[W];
    if (first_of<W>(k) >= length) break;
    read_group(x[k], g[k], mean, rstd, normal, grad);
    weight.read(n, k, A(1), w);
    UNROLL
    for (int l = 0; l < W; l++) {
      if (!n.batches) grad[l] *= w[l];
      all.sum += grad[l];
      all.dot += grad[l] * normal[l];
    }
  }
  all = block_joined(all, JoinArriving());
  if (n.batches) {
    if (there && threadIdx.x == 0) n.put_gradients(set, all.dot, all.sum);
    const A w = n.weight_of(set);
    all.sum *= w;
    all.dot *= w;
  }
  if (n.out) store_gradient<T, E, W, void>(n, set, length, x, g, weight, all);
}

/* Computes the gradient of layers (sets, length): each block takes several rows, and also sums the
 * gradients of the weights over its rows, into `partial`. */
template <class T, int E, int W, class S>
__global__ void __launch_bounds__(LAYER_THREADS) layers_backward(const Norm<T> n) {
  using A = typename Norm<T>::A;
  enum { GROUPS = E / W };
  A weights[E] = {}, biases[E] = {};
  const Parameters<S, T, E, W> weight(n, n.weight, 0);
  for (long long first = static_cast<long long>(blockIdx.x) * blockDim.y; first < n.sets;
       first += static_cast<long long>(gridDim.x) * blockDim.y) {
    const auto [there, set, length] = row_of(n, first + threadIdx.y);
    Raw<T, W> x[GROUPS], g[GROUPS];
    load_groups(n.in + set * n.length, length, x);
    load_groups(n.grad + set * n.length, length, g);
    const A mean = n.mean_of(set), rstd = n.rstd_of(set);
    Arriving<A> all = {0, 0};
    UNROLL
    for (int k = 0; k < GROUPS; k++) {
      A normal[W], grad[W], w[W];
      read_group(x[k], g[k], mean, rstd, normal, grad);
      weight.read(n, k, A(1), w);
      UNROLL
      for (int l = 0; l < W; l++) { /* a missing element has the gradient 0 */
        weights[k * W + l] += grad[l] * normal[l];
        biases[k * W + l] += grad[l];
        all.sum += grad[l] * w[l];
        all.dot += grad[l] * w[l] * normal[l];
      }
    }
    all = block_joined(all, JoinArriving());
    if (n.out) store_gradient<T, E, W, S>(n, set, length, x, g, weight, all);
  }
  A *partial = n.partial + static_cast<long long>(blockIdx.x) * 2 * n.length;
  UNROLL
  for (int k = 0; k < E; k++) {
    const int i = first_of<W>(k / W) + k % W;
    const A w = columns_joined(weights[k], Plus()), b = columns_joined(biases[k], Plus());
    if (threadIdx.y != 0 || i >= n.length) continue;
    partial[i] = w;
    partial[n.length + i] = b;
  }
}

/* --- launches --------------------------------------------------------------------------------- */

/* Returns a block with threads x along a row, and several rows y if a row needs few threads. */
dim3 block_of(const tocha_norm_args &j, int each) {
  unsigned x = 1, y = 1;
  while (x * each < j.length) x *= 2;
  while (x * y < 32 || (x * y < 128 && y < j.sets)) y *= 2;
  return dim3(x, y);
}

bool is_aligned(const void *at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; }

/* Returns true if rows, and the parameters if they are contiguous, are read 16 bytes at a time. */
template <class T> bool takes_vectors(const tocha_norm_args &j, bool parameters) {
  return sizeof(T) < 8 && j.length % vec_width<T>() == 0 && is_aligned(j.in) &&
         is_aligned(j.grad) && is_aligned(j.out) &&
         (!parameters || (is_aligned(j.weight) && is_aligned(j.bias)));
}

template <int N> using Number = std::integral_constant<int, N>;

/* Calls f(elements of an access). */
template <class T, class F> void with_access(const tocha_norm_args &j, F f) {
  if constexpr (sizeof(T) < 8)
    if (takes_vectors<T>(j, false)) return f(Number<vec_width<T>()>());
  f(Number<1>());
}

/* Calls f(elements of an access, Type<S>()), with the stored type S of the parameters, or void. */
template <class T, class F> void with_parameters(const tocha_norm_args &j, F f) {
  if constexpr (sizeof(T) < 8) {
    const Number<vec_width<T>()> w;
    if (j.inner == 1 && takes_vectors<T>(j, true)) {
      if (j.narrow) return f(w, Type<T>());
      return f(w, Type<typename Arithmetic<T>::type>());
    }
  }
  f(Number<1>(), Type<void>());
}

unsigned blocks_over(const tocha_norm_args &j, dim3 block) {
  return static_cast<unsigned>((j.sets + block.y - 1) / block.y);
}

} // namespace

bool norm_is_of_layers(const tocha_norm_args &j) {
  return j.runs == 1 && j.inner == 1 && j.groups == 1 && !tocha_norm_of_batches(&j);
}

bool launch_rows(Stream *stream, const tocha_norm_args &j) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const auto start = [&](auto e, auto w, auto s) {
      const dim3 block = block_of(j, e);
      LAUNCH((norm_rows<T, decltype(e)::value, decltype(w)::value, typename decltype(s)::type>),
             blocks_over(j, block), block, 0, stream->cuda(), Norm<T>(j));
    };
    const auto with_each = [&](auto e) {
      if (j.inner == 1)
        with_parameters<T>(j, [&](auto w, auto s) { start(e, w, s); });
      else
        with_access<T>(j, [&](auto w) { start(e, w, Type<void>()); });
    };
    if (j.length <= 32 * SHORT)
      with_each(Number<SHORT>());
    else
      with_each(Number<longest<T>()>());
  });
  return launched(stream);
}

static bool launch_layers_backward(Stream *stream, const tocha_norm_args &j) {
  long long blocks = 0;
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const auto start = [&](auto e) {
      const dim3 block = block_of(j, e);
      blocks = blocks_over(j, block);
      if (blocks > tocha_norm_row_parts(j.length)) blocks = tocha_norm_row_parts(j.length);
      with_parameters<T>(j, [&](auto w, auto s) {
        LAUNCH((layers_backward<T, decltype(e)::value, decltype(w)::value,
                                typename decltype(s)::type>),
               static_cast<unsigned>(blocks), block, 0, stream->cuda(), Norm<T>(j));
      });
    };
    if (j.length <= 32 * SHORT)
      start(Number<SHORT>());
    else
      start(Number<longest_layer<T>()>());
  });
  return launch_join_weights(stream, j, j.length, blocks);
}

bool launch_rows_backward(Stream *stream, const tocha_norm_args &j) {
  if ((j.grad_weight || j.grad_bias) && norm_is_of_layers(j))
    return launch_layers_backward(stream, j);
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const auto start = [&](auto e) {
      const dim3 block = block_of(j, e);
      with_access<T>(j, [&](auto w) {
        LAUNCH((norm_rows_backward<T, decltype(e)::value, decltype(w)::value>),
               blocks_over(j, block), block, 0, stream->cuda(), Norm<T>(j));
      });
    };
    if (j.length <= 32 * SHORT)
      start(Number<SHORT>());
    else
      start(Number<longest<T>()>());
  });
  return launched(stream);
}

} // namespace tocha
