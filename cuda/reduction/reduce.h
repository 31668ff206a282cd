/* reduce.h: the reduction kernel, for any operation.
 *
 * An operation has a State, a Value that elements are read as, and start(), add(state, value,
 * index), join(state, state), finish(plan, output, state). The index counts from the beginning of
 * the block's part, which has fewer than 2^31 elements. An operation that keeps indices has states
 * of another type while a thread adds elements: that of start(), and place(state, beginning) makes
 * a State of it before states of threads are joined. Results do not depend on the GPU: the plan
 * (plan.h) chooses blocks and parts, and states are joined in a fixed order. Contiguous columns are
 * read 16 bytes at a time (reduce_columns). */
#pragma once

#include "common/block.h"
#include "reduction/launch.h"
#include "common/launch.h"
#include "common/raw.h"

namespace tocha {
namespace {

enum { VECTORS_FROM = 64 };

struct Reduction {
  ReducePlan plan;
  int vectors; /* the reduced elements of an output are contiguous, or (columns) those of
                * neighbouring outputs */
  int brief;   /* there are fewer than 2^31 reduced elements */
  Divisor<unsigned> divisors[TOCHA_LAYOUT_DIMS];
};

/* The type of a state while a thread adds elements. */
template <class Op> using ThreadState = decltype(std::declval<Op>().start());

/* Stands for an element's type that is known at run time only. */
struct Runtime {};

template <class V, class In> __device__ inline V read(const char *at, int dtype) {
  if constexpr (std::is_same<In, Runtime>::value)
    return load<V>(at, dtype);
  else
    return convert<V>(*reinterpret_cast<const In *>(at));
}

/* --- offsets ---------------------------------------------------------------------------------- */

__device__ inline long long reduced_offset(const Reduction &f, long long i) {
  const ReducePlan &j = f.plan;
  if (j.reduced_dims == 1) return i * j.reduced_strides[0];
  long long offset = 0;
  if (f.brief) {
    unsigned rest = static_cast<unsigned>(i);
    for (int d = 0; d + 1 < j.reduced_dims; d++) {
      unsigned quotient = f.divisors[d].quotient(rest);
      offset +=
          static_cast<long long>(rest - quotient * f.divisors[d].divisor) * j.reduced_strides[d];
      rest = quotient;
    }
    return offset + static_cast<long long>(rest) * j.reduced_strides[j.reduced_dims - 1];
  }
  for (int d = 0; d + 1 < j.reduced_dims; d++) {
    long long quotient = i / j.reduced_sizes[d];
    offset += (i - quotient * j.reduced_sizes[d]) * j.reduced_strides[d];
    i = quotient;
  }
  return offset + i * j.reduced_strides[j.reduced_dims - 1];
}

/* Returns the offset of output number i: the bytes of its first element in the input, or
 * (strides: out_strides) its position in the results. */
__device__ inline long long kept_offset(const ReducePlan &j, const int64_t *strides, long long i) {
  long long offset = 0;
  for (int d = 0; d < j.kept_dims; d++) {
    long long quotient = 0;
    if (d + 1 < j.kept_dims)
      quotient = j.outputs < 0x7fffffff
                     ? static_cast<unsigned>(i) / static_cast<unsigned>(j.kept_sizes[d])
                     : i / j.kept_sizes[d];
    offset += (i - quotient * j.kept_sizes[d]) * strides[d];
    i = quotient;
  }
  return offset;
}

/* Stores the result of output number `output` in out or second. */
template <class A>
__device__ inline void put(const ReducePlan &j, void *base, int dtype, long long output, A value) {
  long long place = kept_offset(j, j.out_strides, output);
  store<A>(static_cast<char *>(base) + place * item_bytes(dtype), dtype, value);
}

/* --- one thread ------------------------------------------------------------------------------- */

/* Adds every lanes-th element from begin + lane on, one by one. start: of the part. */
template <class Op, class In>
__device__ inline void add_few(const Op &op, const Reduction &f, const char *base, long long begin,
                               long long end, long long start, int lane, int lanes,
                               ThreadState<Op> &s) {
  for (long long i = begin + lane; i < end; i += lanes)
    op.add(s, read<typename Op::Value, In>(base + reduced_offset(f, i), f.plan.in_dtype),
           static_cast<unsigned>(i - start));
}

/* Adds the same elements four at a time, into four states. */
template <class Op, class In>
__device__ inline void add_single(const Op &op, const Reduction &f, const char *base,
                                  long long begin, long long end, int lane, int lanes,
                                  ThreadState<Op> (&s)[4]) {
  using Value = typename Op::Value;
  const int dtype = f.plan.in_dtype;
  long long i = begin + lane;
  for (; i + 3 * lanes < end; i += 4 * lanes) {
    Value x[4];
    UNROLL
    for (int k = 0; k < 4; k++)
      x[k] = read<Value, In>(base + reduced_offset(f, i + k * lanes), dtype);
    UNROLL
    for (int k = 0; k < 4; k++) op.add(s[k], x[k], static_cast<unsigned>(i - begin) + k * lanes);
  }
  add_few<Op, In>(op, f, base, i - lane, end, begin, lane, lanes, s[0]);
}

/* LOADS_AHEAD: loads of a thread that are in flight at once, which hide the time that each takes. */
enum { LOADS_AHEAD = 4 };

/* Adds contiguous elements 16 bytes at a time, with LOADS_AHEAD loads in flight. */
template <class Op, class In>
__device__ inline void add_vectors(const Op &op, const Reduction &f, const char *base,
                                   long long begin, long long end, int lane, int lanes,
                                   ThreadState<Op> (&s)[4]) {
  using Value = typename Op::Value;
  constexpr int W = vec_width<In>();
  const In *row = reinterpret_cast<const In *>(base);
  const int ahead = static_cast<int>(reinterpret_cast<uintptr_t>(row + begin) % 16 / sizeof(In));
  long long first = ahead ? begin + W - ahead : begin;
  if (first > end) first = end;
  const int vectors = static_cast<int>((end - first) / W);
  add_few<Op, In>(op, f, base, begin, first, begin, lane, lanes, s[0]);
  const unsigned before = static_cast<unsigned>(first - begin), step = lanes * W;
  const In *at = row + first + lane * W;
  unsigned index = before + lane * W;
  int v = lane;
  for (; v + (LOADS_AHEAD - 1) * lanes < vectors; v += LOADS_AHEAD * lanes) {
    Raw<In, W> x[LOADS_AHEAD];
    UNROLL
    for (int l = 0; l < LOADS_AHEAD; l++, at += step) x[l] = load_raw<In, W>(at);
    UNROLL
    for (int l = 0; l < LOADS_AHEAD; l++, index += step) {
      UNROLL
      for (int k = 0; k < W; k++) op.add(s[k % 4], element<Value>(x[l], k), index + k);
    }
  }
  for (; v < vectors; v += lanes, at += step, index += step) {
    const Raw<In, W> x = load_raw<In, W>(at);
    UNROLL
    for (int k = 0; k < W; k++) op.add(s[k % 4], element<Value>(x, k), index + k);
  }
  add_few<Op, In>(op, f, base, first + static_cast<long long>(vectors) * W, end, begin, lane, lanes,
                  s[0]);
}

template <class Op, class In>
__device__ inline ThreadState<Op> accumulate(const Op &op, const Reduction &f, const char *base,
                                             long long begin, long long end, int lane, int lanes) {
  ThreadState<Op> s[4] = {op.start(), op.start(), op.start(), op.start()};
  if constexpr (!std::is_same<In, Runtime>::value) {
    if (f.vectors) {
      add_vectors<Op, In>(op, f, base, begin, end, lane, lanes, s);
      return op.join(op.join(s[0], s[1]), op.join(s[2], s[3]));
    }
  }
  add_single<Op, In>(op, f, base, begin, end, lane, lanes, s);
  return op.join(op.join(s[0], s[1]), op.join(s[2], s[3]));
}

/* Returns a state whose index counts from the beginning of the output's elements. */
template <class Op>
__device__ inline typename Op::State placed(const Op &op, ThreadState<Op> s, long long begin) {
  if constexpr (std::is_same<ThreadState<Op>, typename Op::State>::value)
    return s;
  else
    return op.place(s, begin);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Stores a block's state of an output: as the result, or as the state of a part. */
template <class Op>
__device__ inline void leave(const Op &op, const ReducePlan &j, long long output,
                             typename Op::State s) {
  if (j.parts > 1)
    static_cast<typename Op::State *>(j.work)[output * j.parts + blockIdx.y] = s;
  else
    op.finish(j, output, s);
}

/* Reduces (outputs, count): the threads of a block reduce one part of each of its outputs. */
template <class Op, class In>
__global__ void __launch_bounds__(MAX_THREADS) reduce(const Reduction f, const Op op) {
  using State = typename Op::State;
  const ReducePlan &j = f.plan;
  const long long output = j.columns
                               ? static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x
                               : static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  const int lane = static_cast<int>(j.columns ? threadIdx.y : threadIdx.x);
  const int lanes = static_cast<int>(j.columns ? blockDim.y : blockDim.x);
  State s = placed(op, op.start(), 0);
  if (output < j.outputs) {
    const long long begin = blockIdx.y * j.part;
    const long long end = begin + j.part < j.count ? begin + j.part : j.count;
    const char *base = static_cast<const char *>(j.in) + kept_offset(j, j.kept_strides, output);
    s = placed(op, accumulate<Op, In>(op, f, base, begin, end, lane, lanes), begin);
  }
  const auto join = [&](State a, State b) { return op.join(a, b); };
  s = j.columns ? columns_joined(s, join) : block_joined(s, join);
  if (lane != 0 || output >= j.outputs) return;
  leave(op, j, output, s);
}

enum { WARP_COLUMNS = 32 };

/* Returns the number of contiguous columns that a thread reads at once, by 16 bytes. A block has
 * 32 columns. */
template <class In> HOST_DEVICE constexpr int columns_each() {
  return sizeof(In) > 1 ? vec_width<In>() : 8;
}

/* Adds every lanes-th row from begin + lane on to a state for each of W columns. */
template <class Op, class In, int W>
__device__ inline void add_columns(const Op &op, const ReducePlan &j, const char *base,
                                   long long begin, long long end, int lane, int lanes,
                                   ThreadState<Op> (&s)[W]) {
  using Value = typename Op::Value;
  const long long step = lanes * j.reduced_strides[0];
  const char *at = base + (begin + lane) * j.reduced_strides[0];
  long long i = begin + lane;
  for (; i + (LOADS_AHEAD - 1) * lanes < end; i += LOADS_AHEAD * lanes) {
    Raw<In, W> x[LOADS_AHEAD];
    UNROLL
    for (int k = 0; k < LOADS_AHEAD; k++, at += step) x[k] = load_raw<In, W>(at);
    UNROLL
    for (int w = 0; w < W; w++) { /* the first column already needs all loads */
      UNROLL
      for (int k = 0; k < LOADS_AHEAD; k++)
        op.add(s[w], element<Value>(x[k], w), static_cast<unsigned>(i - begin) + k * lanes);
    }
  }
  for (; i < end; i += lanes, at += step) {
    const Raw<In, W> x = load_raw<In, W>(at);
    UNROLL
    for (int w = 0; w < W; w++)
      op.add(s[w], element<Value>(x, w), static_cast<unsigned>(i - begin));
  }
}

/* Reduces contiguous columns of (rows, columns): threads x along groups of W columns, 32 columns
 * in all, and y along rows. The states of a column are joined within each warp, then across the
 * warps. */
template <class Op, class In>
__global__ void __launch_bounds__(MAX_THREADS, 2) reduce_columns(const Reduction f, const Op op) {
  using State = typename Op::State;
  constexpr int W = columns_each<In>();
  SHARED(State, places, [MAX_THREADS]);
  const ReducePlan &j = f.plan;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * WARP_COLUMNS;
  const long long output = first + threadIdx.x * W;
  const long long begin = blockIdx.y * j.part;
  ThreadState<Op> near[W];
  UNROLL
  for (int w = 0; w < W; w++) near[w] = op.start();
  if (output < j.outputs) {
    const long long end = begin + j.part < j.count ? begin + j.part : j.count;
    const char *base = static_cast<const char *>(j.in) + kept_offset(j, j.kept_strides, output);
    add_columns<Op, In>(op, j, base, begin, end, static_cast<int>(threadIdx.y),
                        static_cast<int>(blockDim.y), near);
  }
  UNROLL
  for (int w = 0; w < W; w++) {
    State s = placed(op, near[w], begin);
    for (int step = static_cast<int>(blockDim.x); step < 32; step *= 2)
      s = op.join(s, shuffled(s, [=](auto x) { return __shfl_xor_sync(0xffffffffu, x, step); }));
    if (thread % 32 < static_cast<int>(blockDim.x))
      places[thread / 32 * WARP_COLUMNS + static_cast<int>(threadIdx.x) * W + w] = s;
  }
  __syncthreads();
  if (thread >= WARP_COLUMNS || first + thread >= j.outputs) return;
  State all = places[thread];
  const int warps = static_cast<int>(blockDim.x * blockDim.y / 32);
  for (int k = 1; k < warps; k++) all = op.join(all, places[k * WARP_COLUMNS + thread]);
  leave(op, j, first + thread, all);
}

/* Joins the states of the parts (outputs, parts): a warp along x for each output (y). */
template <class Op> __global__ void reduce_parts(const ReducePlan j, const Op op) {
  using State = typename Op::State;
  const long long output = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  State s = placed(op, op.start(), 0);
  if (output < j.outputs) {
    const State *states = static_cast<const State *>(j.work) + output * j.parts;
    for (int k = static_cast<int>(threadIdx.x); k < j.parts; k += blockDim.x)
      s = op.join(s, states[k]);
  }
  s = block_joined(s, [&](State a, State b) { return op.join(a, b); });
  if (threadIdx.x == 0 && output < j.outputs) op.finish(j, output, s);
}

/* Returns true if groups of columns are contiguous and aligned to their size. */
template <class In> bool has_wide_columns(const ReducePlan &plan) {
  const int64_t bytes = columns_each<In>() * static_cast<int64_t>(sizeof(In));
  if (!plan.columns || plan.threads_x != WARP_COLUMNS || plan.reduced_dims != 1 ||
      plan.kept_strides[0] != static_cast<int64_t>(sizeof(In)) ||
      plan.kept_sizes[0] % columns_each<In>() || plan.reduced_strides[0] % bytes ||
      reinterpret_cast<uintptr_t>(plan.in) % static_cast<uintptr_t>(bytes))
    return false;
  for (int d = 1; d < plan.kept_dims; d++)
    if (plan.kept_strides[d] % bytes) return false;
  return true;
}

template <class Op, class In> void start_reduce(Stream *q, const Reduction &f, const Op &op) {
  const ReducePlan &plan = f.plan;
  const long long each = plan.columns ? plan.threads_x : plan.threads_y;
  const dim3 grid(static_cast<unsigned>((plan.outputs + each - 1) / each),
                  static_cast<unsigned>(plan.parts));
  if constexpr (!std::is_same<In, Runtime>::value) {
    constexpr int W = columns_each<In>();
    if (plan.columns && f.vectors) {
      LAUNCH((reduce_columns<Op, In>), grid,
             dim3(WARP_COLUMNS / W, static_cast<unsigned>(plan.threads_y * W)), 0, q->cuda(), f,
             op);
      return;
    }
  }
  LAUNCH((reduce<Op, In>), grid,
         dim3(static_cast<unsigned>(plan.threads_x), static_cast<unsigned>(plan.threads_y)), 0,
         q->cuda(), f, op);
}

template <class Op, class In> bool run_reduce(Stream *q, const ReducePlan &plan, const Op &op) {
  static_assert(sizeof(typename Op::State) <= STATE_BYTES, "a plan leaves room for a state");
  Reduction f = {};
  f.plan = plan;
  f.plan.in = READ_ONLY(plan.in);
  f.brief = plan.count < 0x7fffffff;
  if constexpr (!std::is_same<In, Runtime>::value)
    f.vectors = plan.columns ? has_wide_columns<In>(plan)
                             : plan.reduced_dims == 1 && plan.count >= VECTORS_FROM &&
                                   plan.reduced_strides[0] == static_cast<int64_t>(sizeof(In));
  for (int d = 0; f.brief && plan.count > 0 && d < plan.reduced_dims; d++)
    f.divisors[d] = Divisor<unsigned>(static_cast<unsigned>(plan.reduced_sizes[d]));
  start_reduce<Op, In>(q, f, op);
  if (plan.parts > 1) {
    unsigned lanes = 32, rows = 1;
    while (lanes < 256 && lanes * 4 < static_cast<unsigned>(plan.parts)) lanes *= 2;
    while (lanes * rows < 256 && rows < plan.outputs) rows *= 2;
    const unsigned blocks = static_cast<unsigned>((plan.outputs + rows - 1) / rows);
    LAUNCH((reduce_parts<Op>), blocks, dim3(lanes, rows), 0, q->cuda(), plan, op);
  }
  return launched(q);
}

/* Runs the operation Op<A> of the compute type A on elements of any dtype; common dtypes have
 * kernels of their own. make(Type<A>()) returns an Op<A>. */
template <template <class> class Op, class Make>
bool start(Stream *q, const ReducePlan &plan, Make make) {
  if (plan.compute == TOCHA_FLOAT32) {
    const Op<float> op = make(Type<float>());
    if (plan.in_dtype == TOCHA_FLOAT32) return run_reduce<Op<float>, float>(q, plan, op);
    if (plan.in_dtype == TOCHA_FLOAT16) return run_reduce<Op<float>, float16>(q, plan, op);
    if (plan.in_dtype == TOCHA_BFLOAT16) return run_reduce<Op<float>, bfloat16>(q, plan, op);
    return run_reduce<Op<float>, Runtime>(q, plan, op);
  }
  if (plan.compute == TOCHA_FLOAT64) {
    const Op<double> op = make(Type<double>());
    if (plan.in_dtype == TOCHA_FLOAT64) return run_reduce<Op<double>, double>(q, plan, op);
    return run_reduce<Op<double>, Runtime>(q, plan, op);
  }
  if constexpr (Op<int64_t>::integers) {
    const Op<int64_t> op = make(Type<int64_t>());
    if (plan.in_dtype == TOCHA_INT64) return run_reduce<Op<int64_t>, int64_t>(q, plan, op);
    if (plan.in_dtype == TOCHA_BOOL || plan.in_dtype == TOCHA_UINT8)
      return run_reduce<Op<int64_t>, unsigned char>(q, plan, op);
    return run_reduce<Op<int64_t>, Runtime>(q, plan, op);
  }
  return fail(q->state, "no kernel of a reduction for compute type %d", plan.compute);
}

} // namespace
} // namespace tocha
