/* norm.cu: normalizes sets of elements (runs, sets, length) (normalization/kernels.h) that do
 * not fit into the registers of a block. Blocks x run over the sets, blocks y over parts of
 * each, which are read in accesses of 16 bytes if addresses allow that. The first launch sums
 * the parts, and the second joins the sums in their order and writes the results; many sets are
 * one part each and take one launch. Rows and columns have kernels of their own: norm_rows.cu,
 * norm_columns.cu. */
#include "common/moments.h"
#include "common/raw.h"
#include "normalization/norm.h"

namespace tocha {
namespace {

enum { PART_THREADS = 256, FLIGHT = 4 };

/* The part of a block in the set of index blockIdx.x in the middle of (runs, sets, length). */
struct Part {
  long long runs, sets, length;
};

/* Calls f(run, position in the run, W elements of `in`, and of `grad` unless it is NULL) for all
 * elements of the part, with FLIGHT loads in flight. If `out` is not NULL, stores the elements
 * of `in` there as f changed them. */
template <int W, class T, class F>
__device__ inline void walk(const Part &p, const T *in, const T *grad, T *out, F f) {
  using A = typename Arithmetic<T>::type;
  const long long length = p.length / W, all = p.runs * length;
  const long long each = (all + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each;
  const long long end = begin + each < all ? begin + each : all;
  long long v = begin + threadIdx.x, run = v / length, i = v - run * length;
  const long long runs = blockDim.x / length, rest = blockDim.x - runs * length;
  while (v < end) {
    Raw<T, W> x[FLIGHT] = {}, g[FLIGHT] = {};
    long long at[FLIGHT], of_run[FLIGHT], place[FLIGHT];
    UNROLL
    for (int k = 0; k < FLIGHT; k++) {
      at[k] = v < end ? ((run * p.sets + blockIdx.x) * length + i) * W : -1;
      of_run[k] = run;
      place[k] = i * W;
      if (v < end) x[k] = load_raw<T, W>(in + at[k]);
      if (v < end && grad) g[k] = load_raw<T, W>(grad + at[k]);
      v += blockDim.x;
      run += runs;
      i += rest;
      if (i >= length) i -= length, run++;
    }
    UNROLL
    for (int k = 0; k < FLIGHT; k++) {
      if (at[k] < 0) break;
      A values[W], grads[W];
      UNROLL
      for (int l = 0; l < W; l++) {
        values[l] = element<A>(x[k], l);
        grads[l] = element<A>(g[k], l);
      }
      f(of_run[k], place[k], values, grads);
      if (!out) continue;
      Vec<T, W> results;
      UNROLL
      for (int l = 0; l < W; l++) results[l] = convert<T>(values[l]);
      store_vec(out + at[k], results);
    }
  }
}

template <class T> __device__ inline Part part_of(const Norm<T> &n) {
  return {n.runs, n.sets, n.length};
}

/* Returns the joined moments of all parts of a set. own: this block's, if it is the only part. */
template <class T>
__device__ inline Moments<typename Norm<T>::A> joined_moments(const Norm<T> &n,
                                                              Moments<typename Norm<T>::A> own) {
  using A = typename Norm<T>::A;
  SHARED(Moments<A>, all, [1]);
  Moments<A> m = {0, 0, 0};
  for (unsigned part = threadIdx.x; gridDim.y > 1 && part < gridDim.y; part += blockDim.x)
    m = JoinMoments()(m,
                      reinterpret_cast<const Moments<A> *>(n.partial)[part * n.sets + blockIdx.x]);
  m = gridDim.y > 1 ? block_joined(m, JoinMoments()) : own;
  if (threadIdx.x == 0) all[0] = m;
  __syncthreads();
  return all[0];
}

/* Returns the moments of this block's part of its set. */
template <class T, int W>
__device__ inline Moments<typename Norm<T>::A> own_moments(const Norm<T> &n) {
  using A = typename Norm<T>::A;
  Moments<A> m = {0, 0, 0};
  walk<W>(part_of(n), n.in, static_cast<const T *>(nullptr), static_cast<T *>(nullptr),
          [&](long long, long long, A(&x)[W], A(&)[W]) {
            Moments<A> few = {W, 0, 0};
            UNROLL
            for (int l = 0; l < W; l++) few.mean += x[l];
            few.mean *= A(1) / W;
            UNROLL
            for (int l = 0; l < W; l++) few.squares += (x[l] - few.mean) * (x[l] - few.mean);
            m = JoinMoments()(m, few);
          });
  return block_joined(m, JoinMoments());
}

/* Computes the moments of each part of the sets. */
template <class T, int W>
__global__ void __launch_bounds__(PART_THREADS) set_moments(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const Moments<A> m = own_moments<T, W>(n);
  if (threadIdx.x == 0)
    reinterpret_cast<Moments<A> *>(n.partial)[blockIdx.y * n.sets + blockIdx.x] = m;
}

/* Returns the channel of element i of a set. W contiguous elements may belong to several
 * channels. */
template <class T> __device__ inline long long channel_of(const Norm<T> &n, long long i) {
  const long long channel = blockIdx.x % n.groups * n.depth;
  if (n.depth == 1) return channel;
  return channel + static_cast<unsigned>(i) / static_cast<unsigned>(n.inner);
}

/* Normalizes the elements of the sets, and updates the running statistics. */
template <class T, int W>
__global__ void __launch_bounds__(PART_THREADS) normalize_sets(const Norm<T> n) {
  using A = typename Norm<T>::A;
  A mean, rstd;
  if (n.fixed) {
    mean = n.mean_of(blockIdx.x);
    rstd = n.rstd_of(blockIdx.x);
  } else {
    Moments<A> own = {0, 0, 0};
    if (gridDim.y == 1) own = own_moments<T, W>(n);
    const Moments<A> m = joined_moments(n, own);
    mean = m.mean;
    rstd = n.keep(blockIdx.x, mean, m.squares, blockIdx.y == 0 && threadIdx.x == 0);
  }
  walk<W>(part_of(n), n.in, static_cast<const T *>(nullptr), n.out,
          [&](long long, long long i, A(&x)[W], A(&)[W]) {
            const bool each = n.inner % W != 0;
            long long channel = channel_of(n, i);
            A w = n.weight_of(channel), b = n.bias_of(channel);
            UNROLL
            for (int l = 0; l < W; l++) {
              if (each && n.depth != 1 && l > 0) {
                channel = channel_of(n, i + l);
                w = n.weight_of(channel);
                b = n.bias_of(channel);
              }
              x[l] = (x[l] - mean) * rstd * w + b;
            }
          });
}

/* Sums the gradients of a part, times the weights, and the products of these with the distance
 * from the mean. If sets are channels (n.batches), leaves the weights out: the sums are then the
 * gradients of weight and bias. */
template <class T, int W>
__global__ void __launch_bounds__(PART_THREADS) set_sums(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const A mean = n.mean_of(blockIdx.x), rstd = n.rstd_of(blockIdx.x);
  const bool each = n.inner % W != 0;
  Arriving<A> all = {0, 0};
  walk<W>(part_of(n), n.in, n.grad, static_cast<T *>(nullptr),
          [&](long long, long long i, A(&x)[W], A(&g)[W]) {
            A w = n.batches ? A(1) : n.weight_of(channel_of(n, i));
            UNROLL
            for (int l = 0; l < W; l++) {
              if (each && n.depth != 1 && l > 0) w = n.weight_of(channel_of(n, i + l));
              all.sum += g[l] * w;
              all.dot += g[l] * w * (x[l] - mean);
            }
          });
  all = block_joined(all, JoinArriving());
  if (threadIdx.x != 0) return;
  n.partial[2 * blockIdx.y * n.sets + blockIdx.x] = all.dot * rstd;
  n.partial[(2 * blockIdx.y + 1) * n.sets + blockIdx.x] = all.sum;
}

/* Computes the gradient of the input from the sums of the parts. */
template <class T, int W>
__global__ void __launch_bounds__(PART_THREADS) sets_backward(const Norm<T> n) {
  using A = typename Norm<T>::A;
  SHARED(Arriving<A>, shared, [1]);
  const A mean = n.mean_of(blockIdx.x), rstd = n.rstd_of(blockIdx.x);
  const A count = static_cast<A>(n.runs * n.length);
  Arriving<A> all = {0, 0};
  for (unsigned part = threadIdx.x; part < gridDim.y; part += blockDim.x) {
    all.dot += n.partial[2 * part * n.sets + blockIdx.x];
    all.sum += n.partial[(2 * part + 1) * n.sets + blockIdx.x];
  }
  all = block_joined(all, JoinArriving());
  if (threadIdx.x == 0) shared[0] = all;
  __syncthreads();
  all = shared[0];
  if (n.batches && blockIdx.y == 0 && threadIdx.x == 0) {
    n.put_gradients(blockIdx.x, all.dot, all.sum);
  }
  if (!n.out) return;
  const bool each = n.inner % W != 0;
  const A scale = n.batches ? n.weight_of(blockIdx.x) * rstd : rstd;
  const A sum = n.fixed ? 0 : all.sum / count, dot = n.fixed ? 0 : all.dot / count * rstd;
  walk<W>(part_of(n), n.in, n.grad, n.out, [&](long long, long long i, A(&x)[W], A(&g)[W]) {
    A w = n.batches ? A(1) : n.weight_of(channel_of(n, i));
    UNROLL
    for (int l = 0; l < W; l++) {
      if (each && n.depth != 1 && l > 0) w = n.weight_of(channel_of(n, i + l));
      x[l] = (g[l] * w - sum - (x[l] - mean) * dot) * scale;
    }
  });
}

/* Sums the gradients of the channels of each sample (samples * channels, inner), and these times
 * the normalized elements, into `partial` (parts, 2, samples * channels): a channel for each y of
 * the block, and parts of it in blocks y. */
template <class T, int W>
__global__ void __launch_bounds__(PART_THREADS) sample_sums(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const long long channels = n.sets * n.depth, vectors = n.inner / W;
  const long long own = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  const long long channel = own < channels ? own : 0, set = channel / n.depth;
  const long long each = (vectors + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each;
  const long long end = own >= channels ? 0 : begin + each < vectors ? begin + each : vectors;
  const A mean = n.mean[set], rstd = n.rstd[set];
  const T *in = n.in + channel * n.inner, *grad = n.grad + channel * n.inner;
  Arriving<A> all = {0, 0};
  for (long long v = begin + threadIdx.x; v < end; v += 2 * blockDim.x) {
    Raw<T, W> x[2] = {}, g[2] = {};
    UNROLL
    for (int k = 0; k < 2; k++) {
      if (v + k * blockDim.x >= end) break;
      x[k] = load_raw<T, W>(in + (v + k * blockDim.x) * W);
      g[k] = load_raw<T, W>(grad + (v + k * blockDim.x) * W);
    }
    UNROLL
    for (int k = 0; k < 2 * W; k++) { /* a missing element has the gradient 0 */
      const A gradient = element<A>(g[k / W], k % W);
      all.sum += gradient;
      all.dot += gradient * ((element<A>(x[k / W], k % W) - mean) * rstd);
    }
  }
  all = block_joined(all, JoinArriving());
  if (threadIdx.x != 0 || own >= channels) return;
  n.partial[2 * blockIdx.y * channels + channel] = all.dot;
  n.partial[(2 * blockIdx.y + 1) * channels + channel] = all.sum;
}

/* Adds the sums of all parts of a channel of a sample. */
template <class A, class T>
__device__ inline Arriving<A> sums_of(const Norm<T> &n, long long channel, int parts) {
  const long long channels = n.sets * n.depth;
  Arriving<A> all = {0, 0};
  for (long long part = 0; part < parts; part++) {
    all.dot += n.partial[2 * part * channels + channel];
    all.sum += n.partial[(2 * part + 1) * channels + channel];
  }
  return all;
}

enum { CHANNELS = 32 }; /* those of a block that joins the gradients of weights */

/* Joins the gradients of CHANNELS weights and biases, from `first` on, over the samples. */
template <class T>
__device__ inline void join_samples(const Norm<T> &n, long long first, int parts) {
  using A = typename Norm<T>::A;
  SHARED(Arriving<A>, places, [PART_THREADS]);
  const long long channels = n.groups * n.depth, samples = n.sets / n.groups;
  const long long channel = first + threadIdx.x % CHANNELS;
  Arriving<A> all = {0, 0};
  for (long long sample = threadIdx.x / CHANNELS; channel < channels && sample < samples;
       sample += PART_THREADS / CHANNELS)
    all = JoinArriving()(all, sums_of<A>(n, sample * channels + channel, parts));
  places[threadIdx.x] = all;
  __syncthreads();
  if (threadIdx.x >= CHANNELS || channel >= channels) return;
  for (int k = CHANNELS; k < PART_THREADS; k += CHANNELS)
    all = JoinArriving()(all, places[k + threadIdx.x]);
  n.put_gradients(channel, all.dot, all.sum);
}

/* Computes the gradient of groups from the sums of the channels: a block x for each set, then
 * blocks that join the gradients of the weights. */
template <class T, int W>
__global__ void __launch_bounds__(PART_THREADS)
    groups_backward(const Norm<T> n, long long sets, int parts) {
  using A = typename Norm<T>::A;
  SHARED(Arriving<A>, shared, [1]);
  if (blockIdx.x >= sets) {
    if (blockIdx.y == 0) join_samples(n, (blockIdx.x - sets) * CHANNELS, parts);
    return;
  }
  Arriving<A> all = {0, 0};
  for (long long c = threadIdx.x; c < n.depth; c += blockDim.x) {
    const A w = n.weight_of(blockIdx.x % n.groups * n.depth + c);
    const Arriving<A> sums = sums_of<A>(n, blockIdx.x * n.depth + c, parts);
    all.sum += w * sums.sum;
    all.dot += w * sums.dot;
  }
  all = block_joined(all, JoinArriving());
  if (threadIdx.x == 0) shared[0] = all;
  __syncthreads();
  const A mean = n.mean[blockIdx.x], rstd = n.rstd[blockIdx.x], count = static_cast<A>(n.length);
  const A sum = shared[0].sum / count, dot = shared[0].dot / count * rstd;
  const bool each = n.inner % W != 0;
  walk<W>(part_of(n), n.in, n.grad, n.out, [&](long long, long long i, A(&x)[W], A(&g)[W]) {
    A w = n.weight_of(channel_of(n, i));
    UNROLL
    for (int l = 0; l < W; l++) {
      if (each && n.depth != 1 && l > 0) w = n.weight_of(channel_of(n, i + l));
      x[l] = (g[l] * w - sum - (x[l] - mean) * dot) * rstd;
    }
  });
}

/* --- launches --------------------------------------------------------------------------------- */

/* Returns the grid: blocks x over sets of n elements each, y over their parts. */
dim3 grid_of(long long sets, long long n) {
  return dim3(static_cast<unsigned>(sets), static_cast<unsigned>(tocha_norm_set_parts(sets, n)));
}

bool is_aligned(const void *at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; }

/* Calls f(Type<T>(), number of elements that a thread loads at once). */
template <class F>
bool with_width(Stream *stream, const tocha_norm_args &j, long long length, F f) {
  with_floating(j.dtype, [&](auto t) {
    constexpr int W = vec_width<typename decltype(t)::type>();
    if (length % W == 0 && is_aligned(j.in) && is_aligned(j.grad) && is_aligned(j.out))
      f(t, std::integral_constant<int, W>());
    else
      f(t, std::integral_constant<int, 1>());
  });
  return launched(stream);
}

bool launch_sets_backward(Stream *stream, const tocha_norm_args &j) {
  const dim3 grid = grid_of(j.sets, j.runs * j.length);
  return with_width(stream, j, j.length, [&](auto t, auto w) {
    using T = typename decltype(t)::type;
    LAUNCH((set_sums<T, decltype(w)::value>), grid, PART_THREADS, 0, stream->cuda(), Norm<T>(j));
    LAUNCH((sets_backward<T, decltype(w)::value>), grid, PART_THREADS, 0, stream->cuda(),
           Norm<T>(j));
  });
}

/* Returns true for groups whose gradients come from the sums of the channels of each sample. */
bool takes_samples(const tocha_norm_args &j) {
  return j.runs == 1 && j.inner > 1 && !tocha_norm_of_batches(&j) && (j.grad_weight || j.grad_bias);
}

bool launch_groups_backward(Stream *stream, const tocha_norm_args &j) {
  const long long depth = j.length / j.inner, channels = j.sets * depth;
  const long long joins = (j.groups * depth + CHANNELS - 1) / CHANNELS;
  const long long sets = j.out ? j.sets : 0;
  return with_width(stream, j, j.inner, [&](auto t, auto w) {
    using T = typename decltype(t)::type;
    constexpr int W = decltype(w)::value;
    unsigned x = 32;
    while (x < PART_THREADS && x * 2 * W < j.inner) x *= 2;
    const dim3 block(x, PART_THREADS / x);
    const long long maximum = (j.inner + 2047) / 2048;
    long long parts = tocha_norm_channel_parts(channels);
    if (parts > maximum) parts = maximum;
    LAUNCH((sample_sums<T, W>),
           dim3(static_cast<unsigned>((channels + block.y - 1) / block.y),
                static_cast<unsigned>(parts)),
           block, 0, stream->cuda(), Norm<T>(j));
    LAUNCH((groups_backward<T, W>),
           dim3(static_cast<unsigned>(sets + joins), grid_of(j.sets, j.length).y), PART_THREADS, 0,
           stream->cuda(), Norm<T>(j), sets, static_cast<int>(parts));
  });
}

/* Returns true if the kernel of the input's gradient also computes those of weight and bias. */
bool joins_weights(const tocha_norm_args &j) {
  return tocha_norm_of_batches(&j) || takes_samples(j) ||
         (tocha_norm_takes_rows(&j) && norm_is_of_layers(j));
}

} // namespace

bool launch_norm(Stream *stream, const tocha_norm_args &j) {
  if (tocha_norm_takes_rows(&j)) return launch_rows(stream, j);
  if (j.length == 1) return launch_columns(stream, j);
  const dim3 grid = grid_of(j.sets, j.runs * j.length);
  return with_width(stream, j, j.length, [&](auto t, auto w) {
    using T = typename decltype(t)::type;
    if (!j.fixed && grid.y > 1)
      LAUNCH((set_moments<T, decltype(w)::value>), grid, PART_THREADS, 0, stream->cuda(),
             Norm<T>(j));
    LAUNCH((normalize_sets<T, decltype(w)::value>), grid, PART_THREADS, 0, stream->cuda(),
           Norm<T>(j));
  });
}

bool launch_norm_backward(Stream *stream, const tocha_norm_args &j) {
  if (takes_samples(j)) return launch_groups_backward(stream, j);
  if (tocha_norm_takes_rows(&j)) return launch_rows_backward(stream, j);
  return j.length == 1 ? launch_columns_backward(stream, j) : launch_sets_backward(stream, j);
}

bool launch_norm_weights(Stream *stream, const tocha_norm_args &j) {
  if (joins_weights(j)) return j.out || launch_norm_backward(stream, j);
  return launch_column_weights(stream, j);
}

} // namespace tocha
