// execution_spec.cu: correct kernels of every kind must be right in both orders and raise nothing.
#include "device_array.h"
#include "harness.h"

#include <math.h>

namespace {

struct Multiply {
  HOST_DEVICE float operator()(float a, float b) const { return a * b; }
};

template <class T, class Function, int N>
__global__ void elementwise(Function f, T *out, const T *a, const T *b, int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  if (i + N <= n) {
    Vec<T, N> x = load_vec<N>(a + i), y = load_vec<N>(b + i);
    UNROLL
    for (int k = 0; k < N; k++) x[k] = from_float<T>(f(to_float(x[k]), to_float(y[k])));
    store_vec<N>(out + i, x);
  } else {
    for (; i < n; i++) out[i] = from_float<T>(f(to_float(a[i]), to_float(b[i])));
  }
}

struct Strided { // a 3-d broadcast operand list, by value
  float *out;
  const float *a, *b;
  int sizes[3], out_strides[3], a_strides[3], b_strides[3];
};

__global__ void strided_add(Strided s) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z;
  if (x >= static_cast<unsigned>(s.sizes[2]) || y >= static_cast<unsigned>(s.sizes[1])) return;
  int at[3] = {static_cast<int>(z), static_cast<int>(y), static_cast<int>(x)};
  int out = 0, a = 0, b = 0;
  for (int d = 0; d < 3; d++) {
    out += at[d] * s.out_strides[d];
    a += at[d] * s.a_strides[d];
    b += at[d] * s.b_strides[d];
  }
  s.out[out] = s.a[a] + s.b[b];
}

__global__ void block_sum(float *out, const float *in, int n) {
  SHARED(float, part, [32]);
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x))
    sum += in[i];
  for (unsigned d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return; // an early exit before later warp operations
  sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) *out = sum;
}

__global__ void reverse_in_shared(int *values, int n) {
  SHARED_DYNAMIC(int, buffer);
  int i = static_cast<int>(threadIdx.x);
  if (i < n) buffer[i] = values[i];
  __syncthreads();
  if (i < n) values[i] = buffer[n - 1 - i];
}

// Hillis and Steele's scan: two barriers a round.
__global__ void scan(int *values) {
  SHARED(int, row, [256]);
  unsigned i = threadIdx.x;
  row[i] = values[i];
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    int other = i >= step ? row[i - step] : 0;
    __syncthreads();
    row[i] += other;
  }
  values[i] = row[i];
}

__global__ void lanes(int *shuffled, int *up, int *down, int *segment, unsigned *ballots,
                      unsigned *match) {
  int lane = static_cast<int>(threadIdx.x);
  shuffled[lane] = __shfl_sync(0xffffffffu, lane * 10, 5);
  up[lane] = __shfl_up_sync(0xffffffffu, lane, 3);
  down[lane] = __shfl_down_sync(0xffffffffu, lane, 4, 8);
  segment[lane] = __shfl_sync(0xffffffffu, lane, 1, 4);
  ballots[lane] = __ballot_sync(0xffffffffu, lane % 3 == 0);
  match[lane] = __match_any_sync(0xffffffffu, lane / 8);
  if (lane < 16) { // half a warp with its own mask
    double half = __shfl_xor_sync(0x0000ffffu, static_cast<double>(lane), 1);
    shuffled[lane] += static_cast<int>(half);
    __syncwarp(0x0000ffffu);
  }
  if (!__any_sync(0xffffffffu, lane == 31) || __all_sync(0xffffffffu, lane < 31))
    shuffled[lane] = -1;
}

// Lane 7 comes to the mask 0xffff while lanes 8 to 15 still wait for lane 16 with another one.
__global__ void overlapping_masks(int *out) {
  int lane = static_cast<int>(threadIdx.x), value = lane;
  if (lane == 7 || lane == 15) __syncwarp(0x8080u);
  if (lane >= 8 && lane <= 16) value = __shfl_sync(0x1ff00u, value, 16);
  if (lane < 16) value = __shfl_xor_sync(0xffffu, value, 8);
  out[lane] = value;
}

// The first and the last thread of each warp, and of the block, leave while others wait for them.
__global__ void leave_early(int *out) {
  int i = static_cast<int>(threadIdx.x), lane = i % 32, sum = lane;
  if (lane == 0 || lane == 31) return;
  if (lane < 8)
    sum = __shfl_xor_sync(0x800000ffu, sum, 1); // two groups that wait for lanes 0 and 31
  if (lane >= 8 && lane < 16) sum = __shfl_xor_sync(0x8000ff01u, sum, 1);
  __syncthreads();
  out[i] = sum;
}

__global__ void leave_before_barrier(int *out) {
  if (threadIdx.x == 0 || threadIdx.x == blockDim.x - 1) return;
  __syncthreads();
  out[threadIdx.x] = 5;
}

__global__ void votes(int *out) {
  int i = static_cast<int>(threadIdx.x);
  int count = __syncthreads_count(i % 5 == 0), any = __syncthreads_or(i == 99),
      all = __syncthreads_and(i < 99);
  out[i] = count * 100 + any * 10 + all;
}

__global__ void count_up(unsigned *total, float *sum, int *largest, unsigned *last_block,
                         int *finished) {
  atomicAdd(total, 1u);
  atomicAdd(sum, 0.5f);
  atomicMax(largest, static_cast<int>(blockIdx.x * 1000 + threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicInc(last_block, gridDim.x - 1) == gridDim.x - 1) *finished = static_cast<int>(*total);
  }
}

__global__ void follow(float **table, float *out) {
  const float *row = DEVICE_POINTER(table[threadIdx.x]);
  out[threadIdx.x] = row[0];
}

__global__ void where_am_i(int *out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned index = block * blockDim.x * blockDim.y * blockDim.z + thread;
  if (thread % 2) __syncwarp(0xaaaaaaaau); // some lanes park, the others never do
  atomicAdd(out + index, static_cast<int>(index));
}

template <class T> void check_elementwise(const char *what) {
  for (int n : {1, 7, 256, 1003}) {
    std::vector<T> a, b;
    for (int i = 0; i < n; i++) {
      a.push_back(from_float<T>(0.25f * static_cast<float>(i % 13)));
      b.push_back(from_float<T>(static_cast<float>(i % 7)));
    }
    DeviceArray<T> x(a), y(b), out(a.size());
    const int width = vec_width<T>();
    LAUNCH((elementwise<T, Multiply, width>), 4, 256, 0, 0, Multiply(), out.pointer, x.pointer,
           y.pointer, n);
    std::vector<T> result = out.get();
    bool good = true;
    for (size_t i = 0; i < a.size(); i++)
      good &= to_float(result[i]) == to_float(from_float<T>(to_float(a[i]) * to_float(b[i])));
    check(good, what);
  }
}

void elementwise_kernels() {
  check_elementwise<float>("vectorized float32");
  check_elementwise<float16>("vectorized float16");
  check_elementwise<bfloat16>("vectorized bfloat16");
  DeviceArray<float> a(std::vector<float>{1, 2, 3, 4, 5, 6}), b(std::vector<float>{10, 20}),
      out(12);
  Strided s = {out, a, b, {2, 2, 3}, {6, 3, 1}, {0, 3, 1}, {1, 0, 0}}; // (2,3) + (2,1,1)
  LAUNCH(strided_add, dim3(1, 1, 2), dim3(8, 4), 0, 0, s);
  std::vector<float> expected = {11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25, 26};
  check(out.get() == expected, "strided broadcast");
}

void barriers() {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>(i % 10);
  DeviceArray<float> in(values), sum(1);
  for (unsigned threads : {32u, 64u, 1024u}) {
    LAUNCH(block_sum, 1, threads, 0, 0, sum.pointer, in.pointer, 1000);
    check_near(static_cast<double>(sum.get()[0]), 4500.0, 1e-3, "block sum");
  }
  std::vector<int> counted(200), reversed(200), ones(256, 1), sums(256);
  for (int i = 0; i < 200; i++)
    counted[static_cast<size_t>(i)] = reversed[static_cast<size_t>(199 - i)] = i;
  for (int i = 0; i < 256; i++) sums[static_cast<size_t>(i)] = i + 1;
  DeviceArray<int> order(counted), row(ones);
  LAUNCH(reverse_in_shared, 1, 256, 200 * sizeof(int), 0, order.pointer, 200);
  check(order.get() == reversed, "reversal through dynamic shared memory");
  LAUNCH(scan, 1, 256, 0, 0, row.pointer);
  check(row.get() == sums, "scan with two barriers a round");
  DeviceArray<int> voted(100);
  LAUNCH(votes, 1, 100, 0, 0, voted.pointer);
  check(voted.get() == std::vector<int>(100, 20 * 100 + 10), "__syncthreads_count, _or and _and");
}

void warp_operations() {
  DeviceArray<int> shuffled(32), up(32), down(32), segment(32);
  DeviceArray<unsigned> ballots(32), match(32);
  LAUNCH(lanes, 1, 32, 0, 0, shuffled.pointer, up.pointer, down.pointer, segment.pointer,
         ballots.pointer, match.pointer);
  std::vector<int> s = shuffled.get(), u = up.get(), d = down.get(), g = segment.get();
  std::vector<unsigned> b = ballots.get(), m = match.get();
  for (int lane = 0; lane < 32; lane++) {
    size_t l = static_cast<size_t>(lane);
    check(s[l] == 50 + (lane < 16 ? lane ^ 1 : 0), "__shfl_sync and half a warp");
    check(u[l] == (lane < 3 ? lane : lane - 3), "__shfl_up_sync");
    check(d[l] == (lane % 8 < 4 ? lane + 4 : lane), "__shfl_down_sync in segments of 8");
    check(g[l] == lane / 4 * 4 + 1, "__shfl_sync in segments of 4");
    check(b[l] == 0x49249249u, "__ballot_sync");
    check(m[l] == 0xffu << lane / 8 * 8, "__match_any_sync");
  }
}

void masks() {
  DeviceArray<int> out(32);
  LAUNCH(overlapping_masks, 1, 32, 0, 0, out.pointer);
  std::vector<int> values = out.get();
  bool good = true;
  for (int lane = 0; lane < 32; lane++)
    good &= values[static_cast<size_t>(lane)] == (lane < 8 ? 16 : lane < 16 ? lane - 8 : lane);
  check(good, "masks that overlap are kept apart");
}

void early_exits() {
  DeviceArray<int> out(64);
  LAUNCH(leave_early, 1, 64, 0, 0, out.pointer);
  std::vector<int> values = out.get();
  bool good = true;
  for (int i = 0; i < 64; i++) {
    int lane = i % 32, expected = lane < 16 ? lane ^ 1 : lane;
    if (lane != 0 && lane != 1 && lane != 31) good &= values[static_cast<size_t>(i)] == expected;
  }
  check(good, "no warp operation waits for threads that have left");
  LAUNCH(leave_before_barrier, 1, 64, 0, 0, out.pointer);
  check(out.get()[30] == 5, "nor does a barrier");
}

void atomics() {
  DeviceArray<unsigned> total(std::vector<unsigned>{0, 0});
  DeviceArray<float> sum(std::vector<float>{0});
  DeviceArray<int> largest(std::vector<int>{-1, -1});
  LAUNCH(count_up, 7, 50, 0, 0, total.pointer, sum.pointer, largest.pointer, total.pointer + 1,
         largest.pointer + 1);
  check(total.get() == std::vector<unsigned>({350, 0}), "atomicAdd and atomicInc");
  check(sum.get()[0] == 175.0f, "atomicAdd of floats");
  check(largest.get() == std::vector<int>({6049, 350}), "atomicMax, and the last block sees all");
}

void indices() {
  DeviceArray<float> a(std::vector<float>{3}), b(std::vector<float>{5}), out(2);
  DeviceArray<float *> table(std::vector<float *>{a, b});
  LAUNCH(follow, 1, 2, 0, 0, table.pointer, out.pointer);
  check(out.get() == std::vector<float>({3, 5}), "pointers loaded from device memory");
  DeviceArray<int> marks(2 * 3 * 4 * 5 * 3 * 2);
  cudaMemset(marks, 0, marks.count * sizeof(int));
  LAUNCH(where_am_i, dim3(2, 3, 4), dim3(5, 3, 2), 0, 0, marks.pointer);
  std::vector<int> seen = marks.get();
  bool good = true;
  for (size_t i = 0; i < seen.size(); i++) good &= seen[i] == static_cast<int>(i);
  check(good, "every thread of every block runs once");
}

} // namespace

void execution_specs() {
  expect_silence("elementwise kernels", elementwise_kernels);
  expect_silence("barriers", barriers);
  expect_silence("warp operations", warp_operations);
  expect_silence("overlapping masks", masks);
  expect_silence("early exits", early_exits);
  expect_silence("atomics", atomics);
  expect_silence("indices and tables of pointers", indices);
}
