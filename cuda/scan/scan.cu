/* scan.cu: running sums, products and extremes; products of others.
 *
 * Rows (the dimension is the last): a block for each row, or for each chunk of a long row. Chunks
 * go in three launches: the state of each chunk, the running states of chunks, then the results.
 * Other dimensions, and short rows: a thread for each column or row. */
#include "scan/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

enum { SCAN_THREADS = 256, EACH = 4, SHORT_ROW = 32 };

template <class A> struct Running {
  using State = A;
  using Compute = A;
  bool product;
  __device__ State start() const { return product ? A(1) : A(0); }
  __device__ State make(A x, long long) const { return x; }
  __device__ State join(State a, State b) const { return product ? times(a, b) : plus(a, b); }
  __device__ void put(const tocha_scan_args &j, long long at, int bytes, State s) const {
    store<A>(static_cast<char *>(j.out) + at * bytes, j.out_dtype, s);
  }
};

/* The last of equal extremes counts, and of NaNs. */
template <class A> struct RunningExtreme {
  struct State {
    A value;
    long long index; /* -1: nothing yet */
  };
  using Compute = A;
  bool max;
  __device__ State start() const { return {A(0), -1}; }
  __device__ State make(A x, long long index) const { return {x, index}; }
  __device__ State join(State a, State b) const { /* b comes later */
    if (a.index < 0 || b.value != b.value) return b;
    if (b.index < 0 || a.value != a.value) return a;
    return (max ? b.value >= a.value : b.value <= a.value) ? b : a;
  }
  __device__ void put(const tocha_scan_args &j, long long at, int bytes, State s) const {
    store<A>(static_cast<char *>(j.out) + at * bytes, j.out_dtype, s.value);
    static_cast<long long *>(j.indices)[at] = s.index;
  }
};

template <class Op, class State>
__device__ inline State before_thread(const Op &op, State mine, State *all) {
  return joined_before(
      mine, op.start(), [&](State a, State b) { return op.join(a, b); }, all);
}

template <class Op>
__device__ inline typename Op::State element(const Op &op, const tocha_scan_args &j, long long at,
                                             int bytes, long long index) {
  using Compute = typename Op::Compute;
  return op.make(load<Compute>(static_cast<const char *>(j.in) + at * bytes, j.in_dtype), index);
}

/* blockIdx.x: row and chunk. totals: only the chunk's state is wanted. */
template <class Op> __global__ void scan_rows(const tocha_scan_args j, const Op op, bool totals) {
  using State = typename Op::State;
  const long long row = blockIdx.x / j.chunks, chunk = blockIdx.x % j.chunks;
  const long long begin = chunk * j.chunk;
  const long long end = begin + j.chunk < j.n ? begin + j.chunk : j.n;
  const int in_bytes = item_bytes(j.in_dtype), out_bytes = item_bytes(j.out_dtype);
  State *states = static_cast<State *>(j.work) + row * j.chunks;
  State carry = chunk > 0 && !totals ? states[chunk - 1] : op.start();
  for (long long tile = begin; tile < end; tile += static_cast<long long>(blockDim.x) * EACH) {
    State s[EACH], total = op.start(), all;
    const long long first = tile + static_cast<long long>(threadIdx.x) * EACH;
    for (int k = 0; k < EACH; k++) {
      const long long i = first + k, index = j.backward ? j.n - 1 - i : i;
      if (i < end) total = op.join(total, element(op, j, row * j.n + index, in_bytes, index));
      s[k] = total;
    }
    const State before = op.join(carry, before_thread(op, total, &all));
    for (int k = 0; k < EACH && !totals; k++) {
      const long long i = first + k, index = j.backward ? j.n - 1 - i : i;
      if (i < end) op.put(j, row * j.n + index, out_bytes, op.join(before, s[k]));
    }
    carry = op.join(carry, all);
  }
  if (totals && threadIdx.x == 0) states[chunk] = carry;
}

/* The running states of a row's chunks, in place. */
template <class Op> __global__ void scan_states(const tocha_scan_args j, const Op op) {
  using State = typename Op::State;
  State *states = static_cast<State *>(j.work) + blockIdx.x * j.chunks;
  State carry = op.start();
  for (long long tile = 0; tile < j.chunks; tile += blockDim.x) {
    const long long i = tile + threadIdx.x;
    State mine = i < j.chunks ? states[i] : op.start(), all;
    State before = before_thread(op, mine, &all);
    if (i < j.chunks) states[i] = op.join(carry, op.join(before, mine));
    carry = op.join(carry, all);
  }
}

template <class Op> __global__ void scan_columns(const tocha_scan_args j, const Op op) {
  const int in_bytes = item_bytes(j.in_dtype), out_bytes = item_bytes(j.out_dtype);
  for (long long column = first_item(); column < j.outer * j.inner; column += item_step()) {
    const long long first = column / j.inner * j.n * j.inner + column % j.inner;
    typename Op::State s = op.start();
    for (long long k = 0; k < j.n; k++) {
      const long long index = j.backward ? j.n - 1 - k : k, at = first + index * j.inner;
      s = op.join(s, element(op, j, at, in_bytes, index));
      op.put(j, at, out_bytes, s);
    }
  }
}

template <class Op> bool run(Stream *q, tocha_scan_args j, const Op &op) {
  static_assert(sizeof(typename Op::State) <= 16, "the runtime leaves 16 bytes for a state");
  j.in = READ_ONLY(j.in);
  if (j.inner > 1 || j.n <= SHORT_ROW) {
    LAUNCH((scan_columns<Op>), blocks_for(q, j.outer * j.inner, 128), 128, 0, q->cuda(), j, op);
    return launched(q);
  }
  const unsigned threads = j.chunk > 32 * EACH ? static_cast<unsigned>(SCAN_THREADS) : 32u;
  const unsigned blocks = static_cast<unsigned>(j.outer * j.chunks);
  if (j.chunks > 1) {
    LAUNCH((scan_rows<Op>), blocks, threads, 0, q->cuda(), j, op, true);
    LAUNCH((scan_states<Op>), static_cast<unsigned>(j.outer), threads, 0, q->cuda(), j, op);
  }
  LAUNCH((scan_rows<Op>), blocks, threads, 0, q->cuda(), j, op, false);
  return launched(q);
}

template <class A> bool run_in(Stream *q, const tocha_scan_args &j) {
  switch (j.kind) {
  case TOCHA_SCAN_SUM:
  case TOCHA_SCAN_PRODUCT:
    return run<Running<A>>(q, j, {j.kind == TOCHA_SCAN_PRODUCT});
  default:
    return run<RunningExtreme<A>>(q, j, {j.kind == TOCHA_SCAN_MAX});
  }
}

/* --- products of others ----------------------------------------------------------------------- */

__global__ void others(const double *in, const double *gradient, double *out, long long n,
                       long long inner, long long numel) {
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

bool launch_scan(Stream *stream, const tocha_scan_args &work) {
  if (work.compute == TOCHA_FLOAT32) return run_in<float>(stream, work);
  if (work.compute == TOCHA_FLOAT64) return run_in<double>(stream, work);
  return run_in<long long>(stream, work);
}

bool launch_exclusive_product(Stream *stream, const tocha_exclusive_product_args &work) {
  const long long numel = work.outer * work.n * work.inner;
  LAUNCH(others, blocks_for(stream, numel), BLOCK_THREADS, 0, stream->cuda(),
         static_cast<const double *>(work.in), static_cast<const double *>(work.gradient),
         static_cast<double *>(work.out), work.n, work.inner, numel);
  return launched(stream);
}

} // namespace tocha
