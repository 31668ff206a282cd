/* norm_columns.cu: normalizes sets with one element in each run (runs, sets): 32 neighbouring sets
 * per block, of which a thread reads W at once, threads y along the runs, in parts (blocks y)
 * that a second launch joins in their order. */
#include "common/moments.h"
#include "common/raw.h"
#include "normalization/norm.h"

namespace tocha {
namespace {

enum { SIDE_BY_SIDE = 32, WARPS = 16, THREADS = 32 * WARPS, FLIGHT = 4 };

/* The elements of a thread: rows first, first + step, ... of W columns from `column` on. */
struct Columns {
  long long column, first, end, columns;
  int own; /* the first of the W in the block */
};

template <int W> __device__ inline Columns columns_of(long long rows, long long columns) {
  const long long each = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each;
  const int own = static_cast<int>(threadIdx.x) * W;
  Columns c = {static_cast<long long>(blockIdx.x) * SIDE_BY_SIDE + own, begin + threadIdx.y,
               begin + each < rows ? begin + each : rows, columns, own};
  if (c.column >= columns) c.end = 0;
  return c;
}

/* Calls f(row, W elements of `in`, and of `grad` unless it is NULL) for FLIGHT rows at a time. If
 * `out` is not NULL, stores the elements there as f changed them. */
template <int W, class T, class F>
__device__ inline void walk(const Columns &c, const T *in, const T *grad, T *out, F f) {
  using A = typename Arithmetic<T>::type;
  const long long step = blockDim.y;
  for (long long row = c.first; row < c.end; row += FLIGHT * step) {
    Raw<T, W> x[FLIGHT] = {}, g[FLIGHT] = {};
    UNROLL
    for (int k = 0; k < FLIGHT; k++) {
      const long long at = (row + k * step) * c.columns + c.column;
      if (row + k * step < c.end) x[k] = load_raw<T, W>(in + at);
      if (grad && row + k * step < c.end) g[k] = load_raw<T, W>(grad + at);
    }
    UNROLL
    for (int k = 0; k < FLIGHT; k++) {
      if (row + k * step >= c.end) break;
      A values[W], grads[W];
      UNROLL
      for (int w = 0; w < W; w++) {
        values[w] = element<A>(x[k], w);
        grads[w] = element<A>(g[k], w);
      }
      f(row + k * step, values, grads);
      if (!out) continue;
      Vec<T, W> results;
      UNROLL
      for (int w = 0; w < W; w++) results[w] = convert<T>(values[w]);
      store_vec<W>(out + (row + k * step) * c.columns + c.column, results);
    }
  }
}

__device__ inline int thread_of_block() {
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}

/* Joins the states that the warps left in places (WARPS, SIDE_BY_SIDE) into its first row. */
template <class State, class Join>
__device__ inline void join_warps(State (&places)[THREADS], Join join) {
  __syncthreads();
  const int thread = thread_of_block();
  if (thread < SIDE_BY_SIDE) {
    State all = places[thread];
    for (int k = 1; k < WARPS; k++) all = join(all, places[k * SIDE_BY_SIDE + thread]);
    places[thread] = all;
  }
  __syncthreads();
}

/* Joins the states of W columns of all threads y into the first row of places. */
template <int W, class State, class Join>
__device__ inline void join_columns(State (&s)[W], State (&places)[THREADS], Join join) {
  const int thread = thread_of_block();
  UNROLL
  for (int w = 0; w < W; w++) {
    for (int step = SIDE_BY_SIDE / W; step < 32; step *= 2)
      s[w] =
          join(s[w], shuffled(s[w], [=](auto x) { return __shfl_xor_sync(0xffffffffu, x, step); }));
    if (thread % 32 < SIDE_BY_SIDE / W)
      places[thread / 32 * SIDE_BY_SIDE + static_cast<int>(threadIdx.x) * W + w] = s[w];
  }
  join_warps(places, join);
}

/* Computes the moments of each part of the columns (runs, sets). */
template <class T, int W>
__global__ void __launch_bounds__(THREADS) column_moments(const Norm<T> n) {
  using A = typename Norm<T>::A;
  SHARED(Moments<A>, places, [THREADS]);
  const Columns c = columns_of<W>(n.runs, n.sets);
  Moments<A> m[W] = {};
  A count = 0;
  walk<W>(c, n.in, static_cast<const T *>(nullptr), static_cast<T *>(nullptr),
          [&](long long, A(&x)[W], A(&)[W]) {
            count += 1;
            const A share = 1 / count;
            UNROLL
            for (int w = 0; w < W; w++) {
              const A delta = x[w] - m[w].mean;
              m[w].mean += delta * share;
              m[w].squares += delta * (x[w] - m[w].mean);
            }
          });
  UNROLL
  for (int w = 0; w < W; w++) m[w].count = count;
  join_columns(m, places, JoinMoments());
  const long long column = c.column - c.own + thread_of_block();
  if (thread_of_block() >= SIDE_BY_SIDE || column >= n.sets) return;
  reinterpret_cast<Moments<A> *>(n.partial)[blockIdx.y * n.sets + column] =
      places[thread_of_block()];
}

/* Joins the moments of all parts of the block's columns. */
template <class T>
__device__ inline void join_parts(const Norm<T> &n, Moments<typename Norm<T>::A> (&places)[THREADS],
                                  long long column) {
  using A = typename Norm<T>::A;
  Moments<A> m = {0, 0, 0};
  for (int part = thread_of_block() / SIDE_BY_SIDE;
       column < n.sets && part < static_cast<int>(gridDim.y); part += WARPS)
    m = JoinMoments()(m, reinterpret_cast<const Moments<A> *>(n.partial)[part * n.sets + column]);
  places[thread_of_block()] = m;
  join_warps(places, JoinMoments());
}

/* Normalizes the columns (runs, sets), and updates the running statistics. */
template <class T, int W>
__global__ void __launch_bounds__(THREADS) normalize_columns(const Norm<T> n) {
  using A = typename Norm<T>::A;
  SHARED(Moments<A>, places, [THREADS]);
  const Columns c = columns_of<W>(n.runs, n.sets);
  if (!n.fixed)
    join_parts(n, places,
               static_cast<long long>(blockIdx.x) * SIDE_BY_SIDE +
                   thread_of_block() % SIDE_BY_SIDE);
  if (c.column >= n.sets) return;
  A mean[W], scale[W], bias[W];
  UNROLL
  for (int w = 0; w < W; w++) {
    const long long set = c.column + w;
    const Moments<A> m = places[c.own + w];
    mean[w] = n.fixed ? n.mean_of(set) : m.mean;
    const A rstd = n.fixed ? n.rstd_of(set)
                           : n.keep(set, m.mean, m.squares, blockIdx.y == 0 && threadIdx.y == 0);
    scale[w] = rstd * n.weight_of(set % n.groups);
    bias[w] = n.bias_of(set % n.groups);
  }
  walk<W>(c, n.in, static_cast<const T *>(nullptr), n.out, [&](long long, A(&x)[W], A(&)[W]) {
    UNROLL
    for (int w = 0; w < W; w++) x[w] = (x[w] - mean[w]) * scale[w] + bias[w];
  });
}

/* Computes partial sums of the gradients of weight and bias of the columns of (rows, columns). The
 * statistics are those of the column, or, with LAYERS, of its group in the row. */
template <class T, bool LAYERS, int W>
__global__ void __launch_bounds__(THREADS) column_sums(const Norm<T> n) {
  using A = typename Norm<T>::A;
  SHARED(Arriving<A>, places, [THREADS]);
  const long long rows = LAYERS ? n.sets / n.groups : n.runs;
  const long long columns = LAYERS ? n.groups * n.depth : n.sets;
  const Columns c = columns_of<W>(rows, columns);
  A mean[W], rstd[W];
  UNROLL
  for (int w = 0; w < W; w++) {
    const bool there = !LAYERS && c.column < columns;
    mean[w] = there ? n.mean_of(c.column + w) : 0;
    rstd[w] = there ? n.rstd_of(c.column + w) : 0;
  }
  Arriving<A> all[W] = {};
  walk<W>(c, n.in, n.grad, static_cast<T *>(nullptr), [&](long long row, A(&x)[W], A(&g)[W]) {
    UNROLL
    for (int w = 0; w < W; w++) {
      if (LAYERS && (w == 0 || n.groups > 1)) {
        const long long set = row * n.groups + (c.column + w) / n.depth;
        mean[w] = n.mean[set];
        rstd[w] = n.rstd[set];
      } else if (LAYERS) {
        mean[w] = mean[0];
        rstd[w] = rstd[0];
      }
      all[w].sum += g[w];
      all[w].dot += g[w] * ((x[w] - mean[w]) * rstd[w]);
    }
  });
  join_columns(all, places, JoinArriving());
  const long long column = c.column - c.own + thread_of_block();
  if (thread_of_block() >= SIDE_BY_SIDE || column >= columns) return;
  n.partial[2 * blockIdx.y * columns + column] = places[thread_of_block()].dot;
  n.partial[(2 * blockIdx.y + 1) * columns + column] = places[thread_of_block()].sum;
}

/* Adds the sums (parts, 2, columns) of the block's columns; `column` is this thread's. */
template <class T>
__device__ inline void join_sums(const Norm<T> &n, Arriving<typename Norm<T>::A> (&places)[THREADS],
                                 long long column, long long columns, int parts) {
  Arriving<typename Norm<T>::A> all = {0, 0};
  for (int part = thread_of_block() / SIDE_BY_SIDE; column < columns && part < parts;
       part += WARPS) {
    all.dot += n.partial[2 * part * columns + column];
    all.sum += n.partial[(2 * part + 1) * columns + column];
  }
  places[thread_of_block()] = all;
  join_warps(places, JoinArriving());
}

/* Computes the gradient (runs, sets) of the input from the sums of the parts. */
template <class T, int W>
__global__ void __launch_bounds__(THREADS) columns_backward(const Norm<T> n) {
  using A = typename Norm<T>::A;
  SHARED(Arriving<A>, places, [THREADS]);
  const Columns c = columns_of<W>(n.runs, n.sets);
  join_sums(n, places,
            static_cast<long long>(blockIdx.x) * SIDE_BY_SIDE + thread_of_block() % SIDE_BY_SIDE,
            n.sets, static_cast<int>(gridDim.y));
  if (c.column >= n.sets) return;
  const A count = static_cast<A>(n.runs);
  A mean[W], scale[W], sum[W], dot[W];
  UNROLL
  for (int w = 0; w < W; w++) {
    const long long set = c.column + w;
    const Arriving<A> all = places[c.own + w];
    const A rstd = n.rstd_of(set);
    if (blockIdx.y == 0 && threadIdx.y == 0) n.put_gradients(set, all.dot, all.sum);
    mean[w] = n.mean_of(set);
    scale[w] = n.weight_of(set % n.groups) * rstd;
    sum[w] = n.fixed ? 0 : all.sum / count;
    dot[w] = n.fixed ? 0 : all.dot / count * rstd;
  }
  if (!n.out) return;
  walk<W>(c, n.in, n.grad, n.out, [&](long long, A(&x)[W], A(&g)[W]) {
    UNROLL
    for (int w = 0; w < W; w++) x[w] = (g[w] - sum[w] - (x[w] - mean[w]) * dot[w]) * scale[w];
  });
}

/* Joins the sums (parts, 2, channels) into the gradients of weight and bias. */
template <class T>
__global__ void __launch_bounds__(THREADS)
    join_weights(const Norm<T> n, long long channels, int parts) {
  using A = typename Norm<T>::A;
  SHARED(Arriving<A>, places, [THREADS]);
  const int thread = thread_of_block();
  const long long first = static_cast<long long>(blockIdx.x) * SIDE_BY_SIDE;
  join_sums(n, places, first + thread % SIDE_BY_SIDE, channels, parts);
  if (thread < SIDE_BY_SIDE && first + thread < channels)
    n.put_gradients(first + thread, places[thread].dot, places[thread].sum);
}

/* --- launches --------------------------------------------------------------------------------- */

unsigned blocks_over(long long columns) {
  return static_cast<unsigned>((columns + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE);
}

/* Blocks in all: four for each of the 132 multiprocessors of an H100. */
enum { BLOCKS = 528 };

/* Returns the grid: blocks x over the columns, y over parts of the rows. */
dim3 grid_of(long long rows, long long columns) {
  const long long blocks = blocks_over(columns), maximum = (rows + 8 * WARPS - 1) / (8 * WARPS);
  long long parts = tocha_norm_parts(blocks);
  if (parts > (BLOCKS + blocks - 1) / blocks) parts = (BLOCKS + blocks - 1) / blocks;
  return dim3(static_cast<unsigned>(blocks),
              static_cast<unsigned>(parts < maximum ? parts : maximum));
}

bool is_aligned(const void *at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; }

/* Calls f(Type<T>(), columns that a thread reads at once, block). */
template <class F>
bool with_columns(Stream *stream, const tocha_norm_args &j, long long columns, F f) {
  with_floating(j.dtype, [&](auto t) {
    constexpr int W = vec_width<typename decltype(t)::type>();
    if (columns % W == 0 && is_aligned(j.in) && is_aligned(j.grad) && is_aligned(j.out))
      f(t, std::integral_constant<int, W>(), dim3(SIDE_BY_SIDE / W, WARPS * W));
    else
      f(t, std::integral_constant<int, 1>(), dim3(SIDE_BY_SIDE, WARPS));
  });
  return launched(stream);
}

} // namespace

bool launch_columns(Stream *stream, const tocha_norm_args &j) {
  const dim3 grid = grid_of(j.runs, j.sets);
  return with_columns(stream, j, j.sets, [&](auto t, auto w, dim3 block) {
    using T = typename decltype(t)::type;
    constexpr int W = decltype(w)::value;
    if (!j.fixed) LAUNCH((column_moments<T, W>), grid, block, 0, stream->cuda(), Norm<T>(j));
    LAUNCH((normalize_columns<T, W>), grid, block, 0, stream->cuda(), Norm<T>(j));
  });
}

bool launch_columns_backward(Stream *stream, const tocha_norm_args &j) {
  const dim3 grid = grid_of(j.runs, j.sets);
  return with_columns(stream, j, j.sets, [&](auto t, auto w, dim3 block) {
    using T = typename decltype(t)::type;
    constexpr int W = decltype(w)::value;
    LAUNCH((column_sums<T, false, W>), grid, block, 0, stream->cuda(), Norm<T>(j));
    LAUNCH((columns_backward<T, W>), grid, block, 0, stream->cuda(), Norm<T>(j));
  });
}

bool launch_column_weights(Stream *stream, const tocha_norm_args &j) {
  const long long channels = j.groups * j.length;
  const dim3 grid = grid_of(j.sets / j.groups, channels);
  return with_columns(stream, j, channels,
                      [&](auto t, auto w, dim3 block) {
                        using T = typename decltype(t)::type;
                        LAUNCH((column_sums<T, true, decltype(w)::value>), grid, block, 0,
                               stream->cuda(), Norm<T>(j));
                      }) &&
         launch_join_weights(stream, j, channels, grid.y);
}

bool launch_join_weights(Stream *stream, const tocha_norm_args &j, long long channels,
                         long long parts) {
  with_floating(j.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH((join_weights<T>), blocks_over(channels), dim3(SIDE_BY_SIDE, WARPS), 0, stream->cuda(),
           Norm<T>(j), channels, static_cast<int>(parts));
  });
  return launched(stream);
}

} // namespace tocha
