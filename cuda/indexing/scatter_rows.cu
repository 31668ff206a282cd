/* scatter_rows.cu: adds elements to rows by an index, in the order of the source: the same
 * digits in every run, and as on the CPU. A warp keeps a part of a row in shared memory, and
 * visits all elements of the row's source. If several lanes have elements for the same position,
 * each waits for the lanes before it. */
#include "indexing/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

enum { WARP = 32, SHARED_BYTES = 32768, FLIGHT = 8 };

template <class T> struct ScatterRows {
  T *target;
  const void *index;
  const T *src;
  long long rows, n, m, part; /* part: elements of a row that a block keeps */
  int wide, dim;
  const char *op;
  Fault *fault;

  __device__ long long key(long long i) const {
    return wide ? static_cast<const long long *>(index)[i] : static_cast<const int *>(index)[i];
  }
};

/* Adds src (rows, m) to target (rows, n), at the positions of index (rows, m). */
template <class T> __global__ void __launch_bounds__(WARP) scatter_rows(const ScatterRows<T> s) {
  using A = typename Arithmetic<T>::type;
  SHARED_DYNAMIC(A, sums);
  const int lane = static_cast<int>(threadIdx.x);
  const long long begin = blockIdx.y * s.part;
  const int count = static_cast<int>(begin + s.part < s.n ? s.part : s.n - begin);
  for (long long row = blockIdx.x; row < s.rows; row += gridDim.x) {
    T *target = s.target + row * s.n + begin;
    const long long first = row * s.m;
    for (int i = lane; i < count; i += FLIGHT * WARP) {
      T x[FLIGHT] = {};
      UNROLL
      for (int k = 0; k < FLIGHT; k++)
        if (i + k * WARP < count) x[k] = target[i + k * WARP];
      UNROLL
      for (int k = 0; k < FLIGHT; k++)
        if (i + k * WARP < count) sums[i + k * WARP] = convert<A>(x[k]);
    }
    __syncwarp();
    for (long long from = 0; from < s.m; from += FLIGHT * WARP) {
      long long keys[FLIGHT];
      T x[FLIGHT] = {};
      UNROLL
      for (int k = 0; k < FLIGHT; k++) {
        const long long i = from + k * WARP + lane;
        keys[k] = i < s.m ? s.key(first + i) : begin - 1;
        if (i < s.m) x[k] = s.src[first + i];
      }
      UNROLL
      for (int k = 0; k < FLIGHT; k++) {
        const bool there = from + k * WARP + lane < s.m;
        if (there && (keys[k] < 0 || keys[k] >= s.n))
          report_index(s.fault, s.op, keys[k], s.dim, s.n);
        const bool here = there && keys[k] >= begin && keys[k] < begin + count;
        const int at = here ? static_cast<int>(keys[k] - begin) : -1 - lane;
        const unsigned peers = __match_any_sync(0xffffffffu, at);
        const int before = here ? __popc(peers & ((1u << lane) - 1)) : -1;
        for (int turn = 0; __any_sync(0xffffffffu, before >= turn); turn++) {
          if (before == turn) sums[at] += convert<A>(x[k]);
          __syncwarp();
        }
      }
    }
    for (int i = lane; i < count; i += WARP) target[i] = convert<T>(sums[i]);
    __syncwarp();
  }
}

} // namespace

bool launch_scatter_rows(Stream *stream, const tocha_scatter_rows_args &args) {
  with_floating(args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    using A = typename Arithmetic<T>::type;
    const long long maximum = SHARED_BYTES / static_cast<long long>(sizeof(A));
    const long long parts = (args.n + maximum - 1) / maximum, part = (args.n + parts - 1) / parts;
    const ScatterRows<T> s = {static_cast<T *>(args.target),
                              READ_ONLY(args.index),
                              READ_ONLY(static_cast<const T *>(args.src)),
                              args.rows,
                              args.n,
                              args.m,
                              part,
                              static_cast<int>(args.wide),
                              args.dim,
                              args.op,
                              stream->home().fault};
    const unsigned rows = static_cast<unsigned>(args.rows < (1 << 20) ? args.rows : 1 << 20);
    LAUNCH(scatter_rows<T>, dim3(rows, static_cast<unsigned>(parts)), WARP,
           static_cast<size_t>(part) * sizeof(A), stream->cuda(), s);
  });
  return launched(stream);
}

} // namespace tocha
