/* norm.cu: normalization of sets of elements (normalization/kernels.h). A block goes over a set, two times for the
 * statistics and once more for the result; sets of one element a run go 32 side by side, threads y along the runs. */
#include "normalization/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

enum { SET_THREADS = 512, SIDE_BY_SIDE = 32 };

template <class T> struct Norm {
  using A = typename Arithmetic<T>::type;
  const T *in, *grad;
  const A *weight, *bias;
  T *out;
  A *mean, *rstd, *grad_weight, *grad_bias, *running_mean, *running_var;
  long long runs, sets, length, groups, inner;
  double eps, momentum;
  bool fixed;

  __device__ A weight_of(long long channel) const { return weight ? weight[channel] : A(1); }
  __device__ A bias_of(long long channel) const { return bias ? bias[channel] : A(0); }
  __device__ A mean_of(long long set) const { return fixed ? running_mean[set] : mean[set]; }
  __device__ A rstd_of(long long set) const {
    return fixed ? 1 / sqrt(running_var[set] + static_cast<A>(eps)) : rstd[set];
  }
};

/* What a block goes over: index `set` in the middle of (runs, sets, length). */
struct Walk {
  long long runs, sets, length, set;
};

template <bool COLUMNS>
__device__ inline Walk walk_of(long long runs, long long sets, long long length) {
  const long long set = COLUMNS ? static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x
                                : static_cast<long long>(blockIdx.x);
  return {runs, sets, length, set};
}

/* f(place in memory, place in the set's run) for this thread's elements. */
template <bool COLUMNS, class F> __device__ inline void walk(const Walk &w, F f) {
  if (w.set >= w.sets) return;
  if (COLUMNS) {
    for (long long r = threadIdx.y; r < w.runs; r += blockDim.y) f(r * w.sets + w.set, 0LL);
    return;
  }
  long long run = threadIdx.x / w.length, i = threadIdx.x % w.length;
  const long long runs = blockDim.x / w.length, rest = blockDim.x % w.length;
  while (run < w.runs) {
    f((run * w.sets + w.set) * w.length + i, i);
    run += runs;
    i += rest;
    if (i >= w.length) i -= w.length, run++;
  }
}

template <bool COLUMNS, class A> __device__ inline A total(A value) {
  return COLUMNS ? columns_joined(value, Plus()) : block_joined(value, Plus());
}

template <class T, bool COLUMNS> __global__ void normalize(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const Walk w = walk_of<COLUMNS>(n.runs, n.sets, n.length);
  const bool there = w.set < n.sets,
             first = there && (COLUMNS ? threadIdx.y == 0 : threadIdx.x == 0);
  const A count = static_cast<A>(n.runs * n.length);
  A mean = 0, rstd = 0;
  if (n.fixed) {
    if (there) mean = n.mean_of(w.set), rstd = n.rstd_of(w.set);
  } else {
    A sum = 0, squares = 0;
    walk<COLUMNS>(w, [&](long long at, long long) { sum += convert<A>(n.in[at]); });
    mean = total<COLUMNS>(sum) / count;
    walk<COLUMNS>(w, [&](long long at, long long) {
      const A d = convert<A>(n.in[at]) - mean;
      squares += d * d;
    });
    squares = total<COLUMNS>(squares);
    rstd = 1 / sqrt(squares / count + static_cast<A>(n.eps));
    if (first) {
      const A m = static_cast<A>(n.momentum);
      n.mean[w.set] = mean;
      n.rstd[w.set] = rstd;
      if (n.running_mean) n.running_mean[w.set] = m * mean + (1 - m) * n.running_mean[w.set];
      if (n.running_var)
        n.running_var[w.set] = m * (squares / (count - 1)) + (1 - m) * n.running_var[w.set];
    }
  }
  const long long depth = n.length / n.inner, channel = w.set % n.groups * depth;
  walk<COLUMNS>(w, [&](long long at, long long i) {
    const long long c = channel + (depth == 1 ? 0 : i / n.inner);
    n.out[at] = convert<T>((convert<A>(n.in[at]) - mean) * rstd * n.weight_of(c) + n.bias_of(c));
  });
}

template <class T, bool COLUMNS> __global__ void normalize_backward(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const Walk w = walk_of<COLUMNS>(n.runs, n.sets, n.length);
  const bool there = w.set < n.sets;
  const A mean = there ? n.mean_of(w.set) : A(0), rstd = there ? n.rstd_of(w.set) : A(0);
  const A count = static_cast<A>(n.runs * n.length);
  const long long depth = n.length / n.inner, channel = w.set % n.groups * depth;
  const auto upper = [&](long long at, long long i) {
    return convert<A>(n.grad[at]) * n.weight_of(channel + (depth == 1 ? 0 : i / n.inner));
  };
  A sum = 0, dot = 0;
  if (!n.fixed) {
    walk<COLUMNS>(w, [&](long long at, long long i) {
      const A g = upper(at, i);
      sum += g;
      dot += g * (convert<A>(n.in[at]) - mean);
    });
    sum = total<COLUMNS>(sum) / count;
    dot = total<COLUMNS>(dot) / count * rstd * rstd;
  }
  walk<COLUMNS>(w, [&](long long at, long long i) {
    const A centered = n.fixed ? A(0) : convert<A>(n.in[at]) - mean;
    n.out[at] = convert<T>((upper(at, i) - sum - centered * dot) * rstd);
  });
}

/* A block for each channel of (batch, channels, inner). */
template <class T, bool COLUMNS> __global__ void weight_gradients(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const long long depth = n.length / n.inner;
  const Walk w = walk_of<COLUMNS>(n.runs * n.sets / n.groups, n.groups * depth, n.inner);
  A sum = 0, dot = 0;
  walk<COLUMNS>(w, [&](long long at, long long) {
    const long long run = at / n.inner / w.sets;
    const long long set = (run * n.groups + w.set / depth) % n.sets;
    const A g = convert<A>(n.grad[at]);
    sum += g;
    dot += g * ((convert<A>(n.in[at]) - n.mean_of(set)) * n.rstd_of(set));
  });
  sum = total<COLUMNS>(sum);
  dot = total<COLUMNS>(dot);
  if (w.set >= w.sets || (COLUMNS ? threadIdx.y : threadIdx.x) != 0) return;
  if (n.grad_weight) n.grad_weight[w.set] = dot;
  if (n.grad_bias) n.grad_bias[w.set] = sum;
}

/* --- launches --------------------------------------------------------------------------------- */

template <class T> Norm<T> norm_of(const tocha_norm_args &j) {
  using A = typename Norm<T>::A;
  return {static_cast<const T *>(j.in),
          static_cast<const T *>(j.grad),
          static_cast<const A *>(j.weight),
          static_cast<const A *>(j.bias),
          static_cast<T *>(j.out),
          static_cast<A *>(j.mean),
          static_cast<A *>(j.rstd),
          static_cast<A *>(j.grad_weight),
          static_cast<A *>(j.grad_bias),
          static_cast<A *>(j.running_mean),
          static_cast<A *>(j.running_var),
          j.runs,
          j.sets,
          j.length,
          j.groups,
          j.inner,
          j.eps,
          j.momentum,
          j.fixed};
}

/* Threads for a set of n elements. */
unsigned threads_for(long long n) {
  unsigned threads = 32;
  while (threads < SET_THREADS && threads * 4 < n) threads *= 2;
  return threads;
}

dim3 columns_block(long long runs) {
  unsigned y = 1;
  while (y < 16 && y * 4 < runs) y *= 2;
  return dim3(SIDE_BY_SIDE, y);
}

unsigned columns_blocks(long long sets) {
  return static_cast<unsigned>((sets + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE);
}

} // namespace

bool launch_norm(Stream *stream, const tocha_norm_args &j) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    if (j.length == 1)
      LAUNCH((normalize<T, true>), columns_blocks(j.sets), columns_block(j.runs), 0, stream->cuda(),
             norm_of<T>(j));
    else
      LAUNCH((normalize<T, false>), static_cast<unsigned>(j.sets), threads_for(j.runs * j.length),
             0, stream->cuda(), norm_of<T>(j));
  });
  return launched(stream);
}

bool launch_norm_backward(Stream *stream, const tocha_norm_args &j) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    if (j.length == 1)
      LAUNCH((normalize_backward<T, true>), columns_blocks(j.sets), columns_block(j.runs), 0,
             stream->cuda(), norm_of<T>(j));
    else
      LAUNCH((normalize_backward<T, false>), static_cast<unsigned>(j.sets),
             threads_for(j.runs * j.length), 0, stream->cuda(), norm_of<T>(j));
  });
  return launched(stream);
}

bool launch_norm_weights(Stream *stream, const tocha_norm_args &j) {
  const long long channels = j.groups * (j.length / j.inner), batch = j.runs * j.sets / j.groups;
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    if (j.inner == 1)
      LAUNCH((weight_gradients<T, true>), columns_blocks(channels), columns_block(batch), 0,
             stream->cuda(), norm_of<T>(j));
    else
      LAUNCH((weight_gradients<T, false>), static_cast<unsigned>(channels),
             threads_for(batch * j.inner), 0, stream->cuda(), norm_of<T>(j));
  });
  return launched(stream);
}

} // namespace tocha
