/* norm_columns.cu: normalizes sets with one element in each run (runs, sets): 32 neighbouring
 * sets (x) per block, threads y along the runs, in parts (blocks y) that a second launch joins
 * in their order. */
#include "common/moments.h"
#include "normalization/norm.h"

namespace tocha {
namespace {

enum { SIDE_BY_SIDE = 32, ALONG = 16, FLIGHT = 4 };

/* The elements of a thread: rows first, first + ALONG, ... of a column. */
struct Column {
  long long column, first, end, columns;
};

__device__ inline Column column_of(long long rows, long long columns) {
  const long long each = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each;
  Column c = {static_cast<long long>(blockIdx.x) * SIDE_BY_SIDE + threadIdx.x, begin + threadIdx.y,
              begin + each < rows ? begin + each : rows, columns};
  if (c.column >= columns) c.end = 0;
  return c;
}

/* Calls f(row, element of `in`, and of `grad` unless it is NULL) for FLIGHT rows at a time. If
 * `out` is not NULL, stores the element there as f changed it. */
template <class T, class F>
__device__ inline void walk(const Column &c, const T *in, const T *grad, T *out, F f) {
  using A = typename Arithmetic<T>::type;
  for (long long row = c.first; row < c.end; row += FLIGHT * ALONG) {
    T x[FLIGHT] = {}, g[FLIGHT] = {};
    UNROLL
    for (int k = 0; k < FLIGHT; k++) {
      const long long at = (row + k * ALONG) * c.columns + c.column;
      if (row + k * ALONG < c.end) x[k] = in[at];
      if (grad && row + k * ALONG < c.end) g[k] = grad[at];
    }
    UNROLL
    for (int k = 0; k < FLIGHT; k++) {
      if (row + k * ALONG >= c.end) continue;
      A value = convert<A>(x[k]);
      f(row + k * ALONG, value, convert<A>(g[k]));
      if (out) out[(row + k * ALONG) * c.columns + c.column] = convert<T>(value);
    }
  }
}

/* Computes the moments of each part of the columns (runs, sets). */
template <class T> __global__ void column_moments(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const Column c = column_of(n.runs, n.sets);
  Moments<A> m = {0, 0, 0};
  walk<T>(c, n.in, nullptr, nullptr, [&](long long, A x, A) {
    const A delta = x - m.mean;
    m.count += 1;
    m.mean += delta / m.count;
    m.squares += delta * (x - m.mean);
  });
  m = columns_joined(m, JoinMoments());
  if (threadIdx.y != 0 || c.column >= n.sets) return;
  reinterpret_cast<Moments<A> *>(n.partial)[blockIdx.y * n.sets + c.column] = m;
}

/* Normalizes the columns (runs, sets), and updates the running statistics. */
template <class T> __global__ void normalize_columns(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const Column c = column_of(n.runs, n.sets);
  const bool there = c.column < n.sets;
  const long long set = there ? c.column : 0;
  A mean, rstd;
  if (n.fixed) {
    mean = n.mean_of(set);
    rstd = n.rstd_of(set);
  } else {
    Moments<A> m = {0, 0, 0};
    for (int part = static_cast<int>(threadIdx.y); part < static_cast<int>(gridDim.y);
         part += ALONG)
      m = JoinMoments()(m, reinterpret_cast<const Moments<A> *>(n.partial)[part * n.sets + set]);
    m = columns_joined(m, JoinMoments());
    mean = m.mean;
    rstd = n.keep(set, mean, m.squares, there && blockIdx.y == 0 && threadIdx.y == 0);
  }
  const A w = n.weight_of(set % n.groups), b = n.bias_of(set % n.groups);
  walk<T>(c, n.in, nullptr, n.out, [&](long long, A &x, A) { x = (x - mean) * rstd * w + b; });
}

/* Computes partial sums of the gradients of weight and bias of the columns of (rows, columns). The
 * statistics are those of the column, or, with LAYERS, of its group in the row. */
template <class T, bool LAYERS> __global__ void column_sums(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const long long rows = LAYERS ? n.sets / n.groups : n.runs;
  const long long columns = LAYERS ? n.groups * n.depth : n.sets;
  const Column c = column_of(rows, columns);
  const long long set = c.column < columns ? c.column : 0;
  const long long group = LAYERS ? set / n.depth : 0;
  const A mean = LAYERS ? A(0) : n.mean_of(set), rstd = LAYERS ? A(0) : n.rstd_of(set);
  Arriving<A> all = {0, 0};
  walk<T>(c, n.in, n.grad, nullptr, [&](long long row, A x, A g) {
    all.sum += g;
    const long long own = row * n.groups + group;
    all.dot += g * (LAYERS ? (x - n.mean[own]) * n.rstd[own] : (x - mean) * rstd);
  });
  all = columns_joined(all, JoinArriving());
  if (threadIdx.y != 0 || c.column >= columns) return;
  n.partial[2 * blockIdx.y * columns + c.column] = all.dot;
  n.partial[(2 * blockIdx.y + 1) * columns + c.column] = all.sum;
}

/* Computes the gradient (runs, sets) of the input from the sums of the parts. */
template <class T> __global__ void columns_backward(const Norm<T> n) {
  using A = typename Norm<T>::A;
  const Column c = column_of(n.runs, n.sets);
  const bool there = c.column < n.sets;
  const long long set = there ? c.column : 0;
  const A mean = n.mean_of(set), rstd = n.rstd_of(set), count = static_cast<A>(n.runs);
  Arriving<A> all = {0, 0};
  for (int part = static_cast<int>(threadIdx.y); part < static_cast<int>(gridDim.y);
       part += ALONG) {
    all.dot += n.partial[2 * part * n.sets + set];
    all.sum += n.partial[(2 * part + 1) * n.sets + set];
  }
  all = columns_joined(all, JoinArriving());
  if (there && blockIdx.y == 0 && threadIdx.y == 0) {
    if (n.grad_weight) n.grad_weight[set] = all.dot;
    if (n.grad_bias) n.grad_bias[set] = all.sum;
  }
  if (!n.out) return;
  const A scale = n.weight_of(set % n.groups) * rstd;
  const A sum = n.fixed ? 0 : all.sum / count, dot = n.fixed ? 0 : all.dot / count * rstd;
  walk<T>(c, n.in, n.grad, n.out,
          [&](long long, A &x, A g) { x = (g - sum - (x - mean) * dot) * scale; });
}

/* Joins the sums (parts, 2, channels) into the gradients of weight and bias. */
template <class T> __global__ void join_weights(const Norm<T> n, long long channels, int parts) {
  using A = typename Norm<T>::A;
  const long long channel = static_cast<long long>(blockIdx.x) * SIDE_BY_SIDE + threadIdx.x;
  const bool there = channel < channels;
  Arriving<A> all = {0, 0};
  for (int part = static_cast<int>(threadIdx.y); there && part < parts; part += ALONG) {
    all.dot += n.partial[2 * part * channels + channel];
    all.sum += n.partial[(2 * part + 1) * channels + channel];
  }
  all = columns_joined(all, JoinArriving());
  if (!there || threadIdx.y != 0) return;
  if (n.grad_weight) n.grad_weight[channel] = all.dot;
  if (n.grad_bias) n.grad_bias[channel] = all.sum;
}

unsigned blocks_over(long long columns) {
  return static_cast<unsigned>((columns + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE);
}

/* Returns the grid: blocks x over the columns, y over parts of the rows. */
dim3 grid_of(long long rows, long long columns) {
  const long long blocks = blocks_over(columns), maximum = (rows + 8 * ALONG - 1) / (8 * ALONG);
  const long long parts = tocha_norm_parts(blocks);
  return dim3(static_cast<unsigned>(blocks),
              static_cast<unsigned>(parts < maximum ? parts : maximum));
}

const dim3 column_block(SIDE_BY_SIDE, ALONG);

} // namespace

bool launch_columns(Stream *stream, const tocha_norm_args &j) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const dim3 grid = grid_of(j.runs, j.sets);
    if (!j.fixed) LAUNCH((column_moments<T>), grid, column_block, 0, stream->cuda(), Norm<T>(j));
    LAUNCH((normalize_columns<T>), grid, column_block, 0, stream->cuda(), Norm<T>(j));
  });
  return launched(stream);
}

bool launch_columns_backward(Stream *stream, const tocha_norm_args &j) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const dim3 grid = grid_of(j.runs, j.sets);
    LAUNCH((column_sums<T, false>), grid, column_block, 0, stream->cuda(), Norm<T>(j));
    LAUNCH((columns_backward<T>), grid, column_block, 0, stream->cuda(), Norm<T>(j));
  });
  return launched(stream);
}

bool launch_column_weights(Stream *stream, const tocha_norm_args &j) {
  const long long channels = j.groups * j.length;
  const dim3 grid = grid_of(j.sets / j.groups, channels);
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH((column_sums<T, true>), grid, column_block, 0, stream->cuda(), Norm<T>(j));
  });
  return launch_join_weights(stream, j, channels, grid.y);
}

bool launch_join_weights(Stream *stream, const tocha_norm_args &j, long long channels,
                         long long parts) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH((join_weights<T>), blocks_over(channels), column_block, 0, stream->cuda(), Norm<T>(j),
           channels, static_cast<int>(parts));
  });
  return launched(stream);
}

} // namespace tocha
