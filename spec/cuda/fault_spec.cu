// fault_spec.cu: planted faults in kernels and launches. Each must be caught and named; its correct
// counterpart stays silent (here where it needs one of its own, else in execution_spec.cu).
#include "device_array.h"
#include "harness.h"

namespace {

__global__ void read_at(float *out, const float *in, int i) {
  *out = in[i + static_cast<int>(threadIdx.x)];
}
__global__ void write_at(float *out, int i) {
  if (threadIdx.x == 40) out[i] = 1.0f;
}
__global__ void write_byte(unsigned char *out, int i) { out[i] = 1; }
__global__ void store_one(float *out) { *out = 1.0f; }

// --- global memory -------------------------------------------------------------------------------
void read_past_the_end() {
  DeviceArray<float> out(1), in(1000);
  LAUNCH(read_at, 2, 64, 0, 0, out.pointer, in.pointer, 937);
  check(cudaGetLastError() == cudaSuccess, "nothing is known at the launch");
  check(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "the synchronization says it");
  check(cudaGetLastError() == cudaErrorIllegalAddress &&
            cudaMalloc(&out.pointer, 4) == cudaErrorIllegalAddress,
        "and everything after");
}
void write_past_the_end() {
  DeviceArray<float> out(1000);
  LAUNCH(write_at, dim3(2, 3), 64, 0, 0, out.pointer, 1000);
  cudaDeviceSynchronize();
}
void write_far_past_the_end() {
  DeviceArray<float> a(1024), b(1024); // neighbours do not touch
  LAUNCH(write_at, 1, 64, 0, 0, a.pointer, 1030);
  cudaDeviceSynchronize();
}
void write_one_byte_past() { // within the rounding to 16 bytes
  DeviceArray<unsigned char> out(13);
  LAUNCH(write_byte, 1, 1, 0, 0, out.pointer, 13);
  cudaDeviceSynchronize();
}
void write_before_the_start() {
  DeviceArray<float> out(10);
  LAUNCH(write_at, 1, 64, 0, 0, out.pointer, -1);
  cudaDeviceSynchronize();
}
void fresh_memory() {
  DeviceArray<float> fresh(100);
  float value = fresh.get()[50];
  check(value != value, "fresh memory is NaN");
  LAUNCH(read_at, 1, 1, 0, 0, fresh.pointer, fresh.pointer, 99);
  value = fresh.get()[0];
  check(value != value, "and so is what kernels make of it");
}
void at_the_edges() {
  DeviceArray<float> out(1), in(std::vector<float>(1000, 2.0f));
  LAUNCH(read_at, 1, 64, 0, 0, out.pointer, in.pointer, 936);
  LAUNCH(write_at, 1, 64, 0, 0, in.pointer, 999);
  LAUNCH(write_at, 1, 64, 0, 0, in.pointer, 0);
  LAUNCH(read_at, 0 + 1, 1, 0, 0, out.pointer, in.pointer + 1000,
         -1); // a pointer one past the end is one
  check(out.get()[0] == 1.0f, "first and last element");
}
void recovery() {
  {
    DeviceArray<float> out(1000);
    LAUNCH(write_at, 1, 64, 0, 0, out.pointer, 1000);
  }
  check(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "a fault");
  check(cudaDeviceReset() == cudaSuccess && cudaGetLastError() == cudaSuccess, "a reset");
  DeviceArray<float> out(std::vector<float>{0});
  LAUNCH(store_one, 1, 1, 0, 0, out.pointer);
  check(out.get()[0] == 1.0f, "and the device works again");
}

// --- what a launch is given ----------------------------------------------------------------------
__global__ void follow(float **table, float *out) { *out = *DEVICE_POINTER(table[0]); }
__global__ void follow_without_macro(float **table, float *out) { *out = *table[0]; }

struct Operands {
  long count;
  float *data[3];
};
__global__ void store_in_structure(Operands o) { *o.data[1] = 1.0f; }

void freed_pointer() {
  float *pointer;
  cudaMalloc(&pointer, 400);
  cudaFree(pointer);
  LAUNCH(store_one, 1, 1, 0, 0, pointer);
  check(cudaPeekAtLastError() == cudaErrorIllegalAddress, "known at the launch");
}
void freed_pointer_in_structure() {
  Operands o = {};
  cudaMalloc(&o.data[1], 400);
  cudaFree(o.data[1]);
  LAUNCH(store_in_structure, 1, 1, 0, 0, o);
  cudaDeviceSynchronize();
}
void freed_pointer_from_memory() {
  float *pointer;
  cudaMalloc(&pointer, 400);
  DeviceArray<float *> table(std::vector<float *>{pointer});
  cudaFree(pointer);
  DeviceArray<float> out(1);
  LAUNCH(follow, 1, 1, 0, 0, table.pointer, out.pointer);
  cudaDeviceSynchronize();
}
void freed_twice() {
  float *pointer;
  cudaMalloc(&pointer, 400);
  cudaFree(pointer);
  cudaFree(pointer);
}
void freed_pointer_copied() {
  float *pointer, value = 0;
  cudaMalloc(&pointer, 400);
  cudaFree(pointer);
  cudaMemcpy(pointer, &value, 4, cudaMemcpyHostToDevice);
}
void host_pointer() {
  float on_the_stack = 0;
  LAUNCH(store_one, 1, 1, 0, 0, &on_the_stack);
}
void good_structure() { // a whole structure with good pointers stays silent
  DeviceArray<float> x(3);
  Operands o = {7, {nullptr, x.pointer + 1, nullptr}};
  LAUNCH(store_in_structure, 1, 1, 0, 0, o);
  check(x.get()[1] == 1.0f, "a structure's pointers are found");
}
void wrong_device() {
  cudaSetDevice(1);
  DeviceArray<float> on_1(1);
  cudaSetDevice(0);
  LAUNCH(store_one, 1, 1, 0, 0, on_1.pointer);
}
void too_many_threads() {
  DeviceArray<float> x(1);
  LAUNCH(store_one, 1, 1025, 0, 0, x.pointer);
}
void too_many_blocks() {
  DeviceArray<float> x(1);
  LAUNCH(store_one, dim3(1, 65536), 1, 0, 0, x.pointer);
}
void no_threads() {
  DeviceArray<float> x(1);
  LAUNCH(store_one, 0, 1, 0, 0, x.pointer);
}

// --- pointers in memory --------------------------------------------------------------------------
void forgotten_macro() {
  DeviceArray<float> x(1), out(1);
  DeviceArray<float *> table(std::vector<float *>{x});
  LAUNCH(follow_without_macro, 1, 1, 0, 0, table.pointer, out.pointer);
  cudaDeviceSynchronize();
}

// --- shared memory -------------------------------------------------------------------------------
__global__ void shared_write(float *out, int i) {
  SHARED(float, part, [16]);
  part[threadIdx.x % 16] = 1.0f;
  float *base = part;
  base[i] = 2.0f;
  out[threadIdx.x] = part[threadIdx.x % 16];
}
__global__ void shared_read(float *out, int i) {
  SHARED(float, part, [16]);
  part[threadIdx.x % 16] = 1.0f;
  const float *base = part;
  out[threadIdx.x] = base[i];
}
__global__ void shared_odd(float *out, int i) {
  SHARED(unsigned char, odd, [13]);
  unsigned char *base = odd;
  base[i] = 3;
  out[0] = static_cast<float>(odd[12]);
}
__global__ void dynamic_write(float *out, int i) {
  SHARED_DYNAMIC(float, buffer);
  buffer[i] = 2.0f;
  out[0] = buffer[0];
}
__global__ void shared_stale(float *out) { // the first block writes, the others rely on it
  SHARED(float, kept, [4]);
  if (blockIdx.x == 0) kept[threadIdx.x] = 5.0f;
  out[blockIdx.x * 4 + threadIdx.x] = kept[threadIdx.x];
}
#if defined(TOCHA_SIMULATED_CUDA)
const int too_many_floats = 8192; // twice
#else
const int too_many_floats = 1024; // nvcc sees the fault itself
#endif
__global__ void shared_much(float *out) {
  SHARED(float, first, [too_many_floats]);
  SHARED(float, second, [too_many_floats]);
  first[threadIdx.x] = second[threadIdx.x] = 0.0f;
  out[0] = first[0] + second[0];
}
__global__ void shared_both(float *out) {
  SHARED(float, fixed, [1024]);
  SHARED_DYNAMIC(float, buffer);
  fixed[0] = buffer[0] = 1.0f;
  out[0] = fixed[0] + buffer[0];
}

void shared_write_past() {
  DeviceArray<float> x(32);
  LAUNCH(shared_write, 1, 32, 0, 0, x.pointer, 16);
  cudaDeviceSynchronize();
}
void shared_write_before() {
  DeviceArray<float> x(32);
  LAUNCH(shared_write, 1, 32, 0, 0, x.pointer, -1);
  cudaDeviceSynchronize();
}
void shared_read_past() {
  DeviceArray<float> x(32);
  LAUNCH(shared_read, 1, 32, 0, 0, x.pointer, 16);
  cudaDeviceSynchronize();
}
void shared_slack() {
  DeviceArray<float> x(32);
  LAUNCH(shared_odd, 1, 1, 0, 0, x.pointer, 14);
  cudaDeviceSynchronize();
}
void dynamic_past() {
  DeviceArray<float> x(1);
  LAUNCH(dynamic_write, 1, 1, 64, 0, x.pointer, 16);
  cudaDeviceSynchronize();
}
void dynamic_forgotten() {
  DeviceArray<float> x(1);
  LAUNCH(dynamic_write, 1, 1, 0, 0, x.pointer, 0);
  cudaDeviceSynchronize();
}
void shared_too_much() {
  DeviceArray<float> x(1);
  LAUNCH(shared_much, 1, 1, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void dynamic_too_much() {
  DeviceArray<float> x(1);
  LAUNCH(dynamic_write, 1, 1, 49153, 0, x.pointer, 0);
}
void together_too_much() {
  DeviceArray<float> x(1);
  LAUNCH(shared_both, 1, 1, 46 * 1024, 0, x.pointer);
  cudaDeviceSynchronize();
}

void shared_at_the_edges() {
  DeviceArray<float> x(32);
  LAUNCH(shared_write, 2, 32, 0, 0, x.pointer, 15);
  LAUNCH(shared_odd, 2, 1, 0, 0, x.pointer, 12);
  check(x.get()[0] == 3.0f, "the last byte of an odd array");
  LAUNCH(dynamic_write, 2, 1, 64, 0, x.pointer, 0);
  LAUNCH(shared_both, 2, 1, 44 * 1024, 0, x.pointer);
  check(x.get()[0] == 2.0f, "48 KB together");
  check(cudaFuncSetAttribute(dynamic_write, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000) ==
            cudaSuccess,
        "more on request");
  LAUNCH(dynamic_write, 1, 1, 100000, 0, x.pointer, 0);
  check(x.get()[0] == 2.0f, "100000 bytes");
}
void stale_shared() {
  DeviceArray<float> x(8);
  LAUNCH(shared_stale, 2, 4, 0, 0, x.pointer);
  std::vector<float> values = x.get();
  check(values[0] == 5.0f, "the block that writes sees its value");
  check(values[4] != values[4], "the block that relies on an earlier one sees NaN");
}

// --- barriers ------------------------------------------------------------------------------------
__global__ void exchange(float *out, bool with_barrier) {
  SHARED(float, row, [64]);
  row[threadIdx.x] = static_cast<float>(threadIdx.x);
  if (with_barrier) __syncthreads();
  out[threadIdx.x] = row[(threadIdx.x + 1) % 64];
}
bool exchanged(bool with_barrier) {
  DeviceArray<float> out(64);
  LAUNCH(exchange, 1, 64, 0, 0, out.pointer, with_barrier);
  std::vector<float> values = out.get();
  // The neighbour that wraps around is left out, so that one of the two orders happens to be right.
  for (size_t i = 0; i < 63; i++)
    if (values[i] != static_cast<float>(i + 1)) return false;
  return true;
}
bool missing_barrier() { return exchanged(false); }
void with_the_barrier() { check(exchanged(true), "neighbours' values"); }

__global__ void diverge_at_barriers(float *out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1.0f;
}
__global__ void diverge_barrier_and_shuffle(float *out) {
  float value = 1.0f;
  if (threadIdx.x == 40)
    value = __shfl_sync(0xffffffffu, value, 0); // the others of its warp do not come
  __syncthreads();
  out[threadIdx.x] = value;
}
__global__ void barrier_in_half_a_block(float *out) {
  if (threadIdx.x % 2) __syncthreads();
  __syncwarp();
  out[threadIdx.x] = 1.0f;
}
__global__ void two_warp_operations(float *out) {
  int value = 1;
  if (threadIdx.x < 16)
    value = __shfl_sync(0xffffffffu, value, 0);
  else
    value = static_cast<int>(__ballot_sync(0xffffffffu, 1));
  out[threadIdx.x] = static_cast<float>(value);
}
__global__ void mask_without_me(float *out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1.0f, 0);
}
__global__ void shuffle_from_exited(float *out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_sync(0xffffffffu, 1.0f, 20);
}
void half_block_barrier() {
  DeviceArray<float> x(64);
  LAUNCH(barrier_in_half_a_block, 1, 64, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void divergent_barriers() {
  DeviceArray<float> x(64);
  LAUNCH(diverge_at_barriers, 1, 64, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void divergent_shuffle() {
  DeviceArray<float> x(64);
  LAUNCH(diverge_barrier_and_shuffle, 1, 64, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void divergent_warp() {
  DeviceArray<float> x(32);
  LAUNCH(two_warp_operations, 1, 32, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void wrong_mask() {
  DeviceArray<float> x(32);
  LAUNCH(mask_without_me, 1, 32, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void exited_lane() {
  DeviceArray<float> x(32);
  LAUNCH(shuffle_from_exited, 1, 32, 0, 0, x.pointer);
  float value = x.get()[0];
  check(value != value, "a lane that is gone gives NaN");
}

// --- the rest ------------------------------------------------------------------------------------
__global__ void divide(int *out, int by) { *out = 7 / by; }
__global__ void load_four(float *out, const float *in) { out[0] = load_vec<4>(in)[3]; }
__global__ void stop_here(float *out) {
  out[0] = 1.0f;
  if (threadIdx.x == 3) __trap();
}
__global__ void large_locals(float *out, int n) {
  volatile float big[40000];
  for (int i = n - 1; i >= 0; i--) big[i] = static_cast<float>(i);
  __syncthreads();
  out[threadIdx.x] = big[n / 2];
}
__device__ float deep(int n) {
  volatile float frame[256];
  for (int i = 0; i < 256; i++) frame[i] = static_cast<float>(n + i);
  return n ? deep(n - 1) + frame[n % 256] : frame[0];
}
__global__ void deep_in_one_thread(float *out, int depth) {
  __syncthreads(); // each thread has a stack of its own from here on
  out[threadIdx.x] = threadIdx.x == 33 ? deep(depth) : 0.0f;
}
void division_by_zero() {
  DeviceArray<int> x(1);
  LAUNCH(divide, 1, 1, 0, 0, x.pointer, 0);
  cudaDeviceSynchronize();
}
void misaligned_vector() {
  DeviceArray<float> x(9);
  LAUNCH(load_four, 1, 1, 0, 0, x.pointer, x.pointer + 2);
  cudaDeviceSynchronize();
}
void trapped() {
  DeviceArray<float> x(1);
  LAUNCH(stop_here, 1, 32, 0, 0, x.pointer);
  cudaDeviceSynchronize();
}
void stack_overflow() {
  DeviceArray<float> x(64);
  LAUNCH(large_locals, 1, 64, 0, 0, x.pointer, 40000);
  cudaDeviceSynchronize();
}

void deep_recursion() {
  DeviceArray<float> x(64);
  LAUNCH(deep_in_one_thread, 1, 64, 0, 0, x.pointer, 160);
  cudaDeviceSynchronize();
}
void shallow_recursion() {
  DeviceArray<float> x(64);
  LAUNCH(deep_in_one_thread, 1, 64, 0, 0, x.pointer, 10);
  cudaDeviceSynchronize();
}

void host_reads_device() {
  DeviceArray<float> x(1);
  volatile float *pointer = x.pointer;
  check(*pointer == 0.0f, "the host reads device memory");
}
void host_writes_device() {
  DeviceArray<float> x(1);
  volatile float *pointer = x.pointer;
  *pointer = 0.0f;
}

} // namespace

static void global_memory_specs() {
  const char *illegal = "cudaErrorIllegalAddress";
  expect_fault(
      "read past the end", read_past_the_end, illegal,
      "thread (63,0,0): reads 0 bytes past the end of an allocation of 4000 bytes on device 0");
  expect_fault(
      "write past the end", write_past_the_end, illegal,
      "thread (40,0,0): writes 0 bytes past the end of an allocation of 4000 bytes on device 0");
  expect_fault("write far past the end", write_far_past_the_end, illegal,
               "writes 24 bytes past the end of an allocation of 4096 bytes");
  expect_fault("write within the rounding", write_one_byte_past, illegal, "kernel write_byte",
               "write_byte");
  expect_fault("write before the start", write_before_the_start, illegal, "kernel write_at",
               "write_at");
  expect_silence("fresh memory", fresh_memory);
  expect_silence("first and last element", at_the_edges);
  expect_silence("recovery after a fault", recovery);
  Environment plain;
  plain.fault_handler = false;
  expect_death("the host reads device memory", host_reads_device, "host code touched device memory",
               Environment());
  expect_death("the host writes device memory", host_writes_device,
               "host code touched device memory", Environment());
  expect_death("the host reads device memory, without handler", host_reads_device, "", plain);
  expect_death("a kernel faults without handler", write_past_the_end, "", plain);
}

static void launch_specs() {
  const char *illegal = "cudaErrorIllegalAddress";
  Environment two;
  two.devices = 2;
  expect_fault("freed pointer", freed_pointer, illegal,
               "store_one: argument 1 points 0 bytes into freed memory of 400 bytes");
  expect_fault("freed pointer in a structure", freed_pointer_in_structure, illegal,
               "0 bytes into freed memory of 400 bytes");
  expect_fault("freed pointer from memory", freed_pointer_from_memory, illegal,
               "0 bytes into freed memory of 400 bytes");
  expect_fault("freed twice", freed_twice, "cudaErrorInvalidValue", "freed twice");
  expect_fault("freed pointer copied to", freed_pointer_copied, "cudaErrorInvalidValue",
               "into freed memory");
  expect_fault("host pointer", host_pointer, illegal,
               "store_one: argument 1 is a pointer to host memory");
  expect_silence("good pointers in a structure", good_structure);
  expect_fault("wrong device", wrong_device, illegal,
               "argument 1 is memory of device 1, used on device 0", nullptr, two);
  expect_fault("1025 threads", too_many_threads, "cudaErrorInvalidConfiguration",
               "a block of (1025,1,1) threads");
  expect_fault("65536 rows of blocks", too_many_blocks, "cudaErrorInvalidConfiguration",
               "a grid of (1,65536,1)");
  expect_fault("no blocks", no_threads, "cudaErrorInvalidConfiguration", "a grid of (0,1,1)");
  expect_fault("DEVICE_POINTER forgotten", forgotten_macro, illegal, "without DEVICE_POINTER");
}

static void shared_memory_specs() {
  const char *illegal = "cudaErrorIllegalAddress", *resources = "cudaErrorLaunchOutOfResources";
  expect_fault("shared write past the end", shared_write_past, illegal,
               "writes 0 bytes past the end of shared array part of 64 bytes");
  expect_fault("shared read past the end", shared_read_past, illegal,
               "reads 0 bytes past the end of shared array part of 64 bytes");
  expect_fault("shared write before the start", shared_write_before, illegal, "shared array part",
               "shared_write");
  expect_fault("shared write within the rounding", shared_slack, illegal, "shared array odd",
               "shared_odd");
  expect_fault("dynamic shared write past the end", dynamic_past, illegal,
               "past the end of shared array (dynamic) of 64 bytes");
  expect_fault("no dynamic shared memory", dynamic_forgotten, illegal,
               "past the end of shared array (dynamic) of 0 bytes");
  expect_fault("64 KB of shared arrays", shared_too_much, resources,
               "its shared arrays take 65536 bytes");
  expect_fault("49153 dynamic bytes", dynamic_too_much, "cudaErrorInvalidValue",
               "49153 bytes of dynamic shared memory");
  expect_fault("above 48 KB together", together_too_much, resources, "asks for 47104 more");
  expect_silence("shared arrays to their last byte", shared_at_the_edges);
  expect_silence("stale shared memory", stale_shared);
}

static void barrier_specs() {
  const char *failure = "cudaErrorLaunchFailure";
  expect_order_dependence("missing __syncthreads", missing_barrier);
  expect_silence("with __syncthreads", with_the_barrier);
  expect_fault("two barriers", divergent_barriers, failure,
               "divergence: 32 threads wait at __syncthreads of fault_spec.cu line");
  expect_fault("barrier and shuffle", divergent_shuffle, failure,
               "63 at __syncthreads (fault_spec.cu line");
  expect_fault("barrier in half a block", half_block_barrier, failure,
               "divergence: the threads wait for each other");
  expect_fault("two warp operations", divergent_warp, failure, "different warp operations");
  expect_fault("mask without the caller", wrong_mask, failure, "lacks lane");
  expect_silence("a lane that is gone", exited_lane);
}

void fault_specs() {
  global_memory_specs();
  launch_specs();
  shared_memory_specs();
  barrier_specs();
  expect_fault("misaligned vector access", misaligned_vector, "cudaErrorMisalignedAddress",
               "no multiple of 16");
  expect_fault("trap", trapped, "cudaErrorLaunchFailure", "thread (3,0,0): stopped by __trap()");
  expect_fault("stack overflow", stack_overflow, "cudaErrorHardwareStackError",
               "its local variables need more than");
  expect_fault("recursion too deep", deep_recursion, "cudaErrorHardwareStackError",
               "thread (33,0,0): its local variables", "deep");
  expect_silence("recursion", shallow_recursion);
  if (!under_address_sanitizer()) // built together with the one that sees the division first
    expect_fault("integer division by zero", division_by_zero, "cudaErrorLaunchFailure",
                 "integer division by zero");
}
