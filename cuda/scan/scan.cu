/* scan.cu: running sums, products and extremes, and products of all other elements, along n of
 * (outer, n, inner).
 *
 * Long rows (inner = 1): a block for each row, or for each chunk of a long row. Other
 * dimensions, and short rows: a thread for each column or row, or for each chunk of a long
 * column. Chunks take three launches: the state of each chunk, the joined states up to each
 * chunk, then the results. */
#include "scan/launch.h"
#include "common/block.h"
#include "common/launch.h"
#include "common/raw.h"

namespace tocha {
namespace {

enum { SCAN_THREADS = 256, EACH = 4, AHEAD = 8, SHORT_ROW = 32, STATE_BYTES = 16 };

/* The division of a scan into chunks. It depends only on the shape, not on the GPU, and so do
 * the sums. */
struct Scan {
  tocha_scan_args args;
  long long chunk, chunks; /* elements of a chunk; chunks of a row or column */
};

inline bool by_columns(const tocha_scan_args &args) {
  return args.inner > 1 || args.n <= SHORT_ROW;
}

inline Scan plan(const tocha_scan_args &args) {
  enum { CHUNKS = 512, LONG_ROW = 1 << 14, TILE = SCAN_THREADS * EACH };
  enum { THREADS = 1 << 15, LONG_COLUMN = 512, LEAST = 64 };
  Scan scan = {args, args.n, 1};
  const long long rows = args.outer * args.inner;
  long long chunks = 1, unit = 1;
  if (by_columns(args) && args.n >= LONG_COLUMN) {
    chunks = THREADS / rows < args.n / LEAST ? THREADS / rows : args.n / LEAST;
  } else if (!by_columns(args) && args.n >= LONG_ROW) {
    chunks = CHUNKS / rows < args.n / (4 * TILE) ? CHUNKS / rows : args.n / (4 * TILE);
    unit = TILE;
  }
  if (chunks < 2) return scan;
  scan.chunk = ((args.n + chunks - 1) / chunks + unit - 1) / unit * unit;
  scan.chunks = (args.n + scan.chunk - 1) / scan.chunk;
  return scan;
}

template <class A> struct Running {
  using State = A;
  using Compute = A;
  bool product;
  __device__ State start() const { return product ? A(1) : A(0); }
  __device__ State make(A x, long long) const { return x; }
  __device__ State join(State a, State b) const { return product ? times(a, b) : plus(a, b); }
  __device__ void put(const tocha_scan_args &args, long long at, int bytes, State s) const {
    store<A>(static_cast<char *>(args.out) + at * bytes, args.out_dtype, s);
  }
};

/* log(sum of exp), starting from minus infinity. */
template <class A> struct RunningLogSum {
  using State = A;
  using Compute = A;
  __device__ State start() const { return -static_cast<A>(INFINITY); }
  __device__ State make(A x, long long) const { return x; }
  __device__ State join(State a, State b) const {
    if (a != a || b != b) return a + b;
    const State low = a < b ? a : b, high = a < b ? b : a;
    return low != high || isfinite(low) ? log1p(exp(low - high)) + high : low;
  }
  __device__ void put(const tocha_scan_args &args, long long at, int bytes, State s) const {
    store<A>(static_cast<char *>(args.out) + at * bytes, args.out_dtype, s);
  }
};

/* The last of equal extremes counts, and the last NaN. */
template <class A> struct RunningExtreme {
  struct State {
    A value;
    long long index; /* -1: none yet */
  };
  using Compute = A;
  bool max;
  __device__ State start() const { return {A(0), -1}; }
  __device__ State make(A x, long long index) const { return {x, index}; }
  __device__ State join(State a, State b) const { /* b is later */
    if (a.index < 0 || b.value != b.value) return b;
    if (b.index < 0 || a.value != a.value) return a;
    return (max ? b.value >= a.value : b.value <= a.value) ? b : a;
  }
  __device__ void put(const tocha_scan_args &args, long long at, int bytes, State s) const {
    store<A>(static_cast<char *>(args.out) + at * bytes, args.out_dtype, s.value);
    static_cast<long long *>(args.indices)[at] = s.index;
  }
};

template <class Op, class State>
__device__ inline State before_thread(const Op &op, State mine, State *all) {
  return joined_before(
      mine, op.start(), [&](State a, State b) { return op.join(a, b); }, all);
}

template <class Op>
__device__ inline typename Op::State element(const Op &op, const tocha_scan_args &args,
                                             long long at, int bytes, long long index) {
  using Compute = typename Op::Compute;
  return op.make(load<Compute>(static_cast<const char *>(args.in) + at * bytes, args.in_dtype),
                 index);
}

/* Scans rows (rows, n); blockIdx.x numbers row and chunk. totals: stores only the chunk's state. */
template <class Op> __global__ void scan_rows(const Scan scan, const Op op, bool totals) {
  using State = typename Op::State;
  const tocha_scan_args &args = scan.args;
  const long long row = blockIdx.x / scan.chunks, chunk = blockIdx.x % scan.chunks;
  const long long begin = chunk * scan.chunk;
  const long long end = begin + scan.chunk < args.n ? begin + scan.chunk : args.n;
  const int in_bytes = item_bytes(args.in_dtype), out_bytes = item_bytes(args.out_dtype);
  State *states = static_cast<State *>(args.scratch) + row * scan.chunks;
  State carry = chunk > 0 && !totals ? states[chunk - 1] : op.start();
  for (long long tile = begin; tile < end; tile += static_cast<long long>(blockDim.x) * EACH) {
    State s[EACH], total = op.start(), all;
    const long long first = tile + static_cast<long long>(threadIdx.x) * EACH;
    for (int k = 0; k < EACH; k++) {
      const long long i = first + k, index = args.backward ? args.n - 1 - i : i;
      if (i < end) total = op.join(total, element(op, args, row * args.n + index, in_bytes, index));
      s[k] = total;
    }
    const State before = op.join(carry, before_thread(op, total, &all));
    for (int k = 0; k < EACH && !totals; k++) {
      const long long i = first + k, index = args.backward ? args.n - 1 - i : i;
      if (i < end) op.put(args, row * args.n + index, out_bytes, op.join(before, s[k]));
    }
    carry = op.join(carry, all);
  }
  if (totals && threadIdx.x == 0) states[chunk] = carry;
}

/* Scans columns (outer, n, inner): a thread for each column and chunk, neighbouring threads on
 * neighbouring columns. Loads several elements before it stores the first result, because a load
 * does not pass a store. */
template <class Op> __global__ void scan_columns(const Scan scan, const Op op, bool totals) {
  const tocha_scan_args &args = scan.args;
  const int in_bytes = item_bytes(args.in_dtype), out_bytes = item_bytes(args.out_dtype);
  const long long columns = args.outer * args.inner;
  for (long long item = first_item(); item < columns * scan.chunks; item += item_step()) {
    const long long chunk = item / columns, column = item % columns;
    const long long first = column / args.inner * args.n * args.inner + column % args.inner;
    const long long begin = chunk * scan.chunk;
    const long long end = begin + scan.chunk < args.n ? begin + scan.chunk : args.n;
    auto *states = static_cast<typename Op::State *>(args.scratch) + column * scan.chunks;
    typename Op::State s = chunk > 0 && !totals ? states[chunk - 1] : op.start();
    const long long step = args.backward ? -args.inner : args.inner;
    for (long long k = begin; k < end; k += AHEAD) {
      const long long index = args.backward ? args.n - 1 - k : k, at = first + index * args.inner;
      unsigned long long bits[AHEAD];
      load_bits(bits, static_cast<const char *>(args.in) + at * in_bytes, step * in_bytes, end - k,
                in_bytes);
      for (int j = 0; j < AHEAD && k + j < end; j++) {
        const auto x = from_bits<typename Op::Compute>(bits[j], args.in_dtype);
        s = op.join(s, op.make(x, args.backward ? index - j : index + j));
        if (!totals) op.put(args, at + j * step, out_bytes, s);
      }
    }
    if (totals) states[chunk] = s;
  }
}

/* Replaces the states of a row's chunks (rows, chunks) by the joined states up to and including
 * each chunk. */
template <class Op> __global__ void scan_states(const Scan scan, const Op op) {
  using State = typename Op::State;
  State *states = static_cast<State *>(scan.args.scratch) + blockIdx.x * scan.chunks;
  State carry = op.start();
  for (long long tile = 0; tile < scan.chunks; tile += blockDim.x) {
    const long long i = tile + threadIdx.x;
    State mine = i < scan.chunks ? states[i] : op.start(), all;
    State before = before_thread(op, mine, &all);
    if (i < scan.chunks) states[i] = op.join(carry, op.join(before, mine));
    carry = op.join(carry, all);
  }
}

/* Calls launch(totals), and before it, if there are chunks, computes their states. */
template <class Op, class Launch>
bool run_chunks(Stream *stream, const Scan &scan, const Op &op, Launch launch) {
  if (scan.chunks > 1) {
    const auto rows = static_cast<unsigned>(scan.args.outer * scan.args.inner);
    const unsigned threads = scan.chunks > 32 ? static_cast<unsigned>(SCAN_THREADS) : 32u;
    launch(true);
    LAUNCH((scan_states<Op>), rows, threads, 0, stream->cuda(), scan, op);
  }
  launch(false);
  return launched(stream);
}

template <class Op> bool run(Stream *stream, const tocha_scan_args &args, const Op &op) {
  static_assert(sizeof(typename Op::State) <= STATE_BYTES, "scratch has no room for it");
  Scan scan = plan(args);
  scan.args.in = READ_ONLY(args.in);
  const long long items = args.outer * args.inner * scan.chunks;
  if (by_columns(args))
    return run_chunks(stream, scan, op, [&](bool totals) {
      LAUNCH((scan_columns<Op>), blocks_for(stream, items, 128), 128, 0, stream->cuda(), scan, op,
             totals);
    });
  const unsigned threads = scan.chunk > 32 * EACH ? static_cast<unsigned>(SCAN_THREADS) : 32u;
  return run_chunks(stream, scan, op, [&](bool totals) {
    LAUNCH((scan_rows<Op>), static_cast<unsigned>(items), threads, 0, stream->cuda(), scan, op,
           totals);
  });
}

template <class A> bool run_in(Stream *stream, const tocha_scan_args &args) {
  switch (args.kind) {
  case TOCHA_SCAN_SUM:
  case TOCHA_SCAN_PRODUCT:
    return run<Running<A>>(stream, args, {args.kind == TOCHA_SCAN_PRODUCT});
  default:
    return run<RunningExtreme<A>>(stream, args, {args.kind == TOCHA_SCAN_MAX});
  }
}

/* --- products of all other elements ------------------------------------------------------------ */

/* Computes for each element of (outer, n, inner) the product of all others along n or, given a
 * gradient of the running products, the gradient of the element. */
__global__ void exclusive_product(const double *in, const double *gradient, double *out,
                                  long long n, long long inner, long long numel) {
  for (long long at = first_item(); at < numel; at += item_step()) {
    const long long i = at / inner % n, first = at - i * inner;
    double product = 1, sum = 0;
    for (long long k = 0; k < n; k++) {
      if (k != i) product *= in[first + k * inner];
      if (gradient && k >= i) sum += gradient[first + k * inner] * product;
    }
    out[at] = gradient ? sum : product;
  }
}

} // namespace

size_t scan_scratch(Stream *, const tocha_scan_args &args) {
  const Scan scan = plan(args);
  return scan.chunks > 1 ? static_cast<size_t>(args.outer * args.inner * scan.chunks) * STATE_BYTES
                         : 0;
}

bool launch_scan(Stream *stream, const tocha_scan_args &args) {
  if (args.kind == TOCHA_SCAN_LOGSUM)
    return args.compute == TOCHA_FLOAT64 ? run<RunningLogSum<double>>(stream, args, {})
                                         : run<RunningLogSum<float>>(stream, args, {});
  if (args.compute == TOCHA_FLOAT32) return run_in<float>(stream, args);
  if (args.compute == TOCHA_FLOAT64) return run_in<double>(stream, args);
  return run_in<long long>(stream, args);
}

bool launch_exclusive_product(Stream *stream, const tocha_exclusive_product_args &args) {
  const long long numel = args.outer * args.n * args.inner;
  LAUNCH(exclusive_product, blocks_for(stream, numel), BLOCK_THREADS, 0, stream->cuda(),
         static_cast<const double *>(args.in), static_cast<const double *>(args.gradient),
         static_cast<double *>(args.out), args.n, args.inner, numel);
  return launched(stream);
}

} // namespace tocha
