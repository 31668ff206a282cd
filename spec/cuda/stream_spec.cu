// stream_spec.cu: streams and events; and that a missing order between them is found, wherever it
// hides, and a present one is not reported.
#include "device_array.h"
#include "harness.h"

namespace {

__global__ void write_value(float *out, float value) { *out = value; }
__global__ void read_value(float *out, const float *in) { *out = *in; }
__global__ void nothing() {}

struct Pair {
  float *out;
  const float *in;
};
__global__ void read_pair(Pair p) { *p.out = *p.in; }

struct Bench { // two streams, an event, and memory, made before anything is ordered
  cudaStream_t first = new_stream(), second = new_stream();
  cudaEvent_t event = nullptr;
  DeviceArray<float> x{std::vector<float>{1}}, y{1}, z{1};
  Bench() { cudaEventCreateWithFlags(&event, cudaEventDisableTiming); }
};

void write_x(Bench &b, cudaStream_t s) { LAUNCH(write_value, 1, 1, 0, s, b.x.pointer, 2.0f); }
void read_x(Bench &b, float *to, cudaStream_t s) {
  LAUNCH(read_value, 1, 1, 0, s, to, b.x.pointer);
}

// --- present orders: silent, and the values are right --------------------------------------------
void ordered() {
  Bench b;
  write_x(b, b.first);
  cudaEventRecord(b.event, b.first);
  cudaStreamWaitEvent(b.second, b.event, 0);
  read_x(b, b.y, b.second);
  cudaDeviceSynchronize();
  check(b.y.get()[0] == 2.0f, "ordered by an event");
  write_x(b, b.first);
  cudaStreamSynchronize(b.first);
  read_x(b, b.z, b.second);
  cudaStreamSynchronize(b.second);
  check(b.z.get()[0] == 2.0f, "ordered by the host");
  read_x(b, b.y, b.first);
  read_x(b, b.z, b.second); // two readers need no order
  cudaDeviceSynchronize();
  cudaEventRecord(b.event, b.first);
  cudaEventSynchronize(b.event);
  write_x(b, b.second);
  cudaDeviceSynchronize();
  Pair p = {b.y, READ_ONLY(b.x.pointer)}, q = {b.z, READ_ONLY(b.x.pointer)};
  LAUNCH(read_pair, 1, 1, 0, b.first, p);
  LAUNCH(read_pair, 1, 1, 0, b.second, q);
  check(cudaDeviceSynchronize() == cudaSuccess, "two launches that only read through a structure");
  check(b.y.get()[0] == 2.0f && b.z.get()[0] == 2.0f, "and what they read");
}

void default_stream() {
  Bench b;
  cudaStream_t blocking = nullptr;
  cudaStreamCreate(&blocking);
  write_x(b, blocking);
  read_x(b, b.y, 0); // the default stream waits for blocking streams
  LAUNCH(write_value, 1, 1, 0, 0, b.x.pointer, 5.0f);
  read_x(b, b.z, blocking); // and they for it
  cudaStreamSynchronize(blocking);
  cudaDeviceSynchronize();
  check(b.y.get()[0] == 2.0f && b.z.get()[0] == 5.0f, "the default stream orders blocking streams");
}

void events() {
  cudaStream_t stream = new_stream();
  cudaEvent_t start, end, never, silent;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventCreate(&never);
  cudaEventCreateWithFlags(&silent, cudaEventDisableTiming);
  DeviceArray<float> x(1);
  cudaEventRecord(start, stream);
  LAUNCH(write_value, 1000, 1, 0, stream, x.pointer, 3.0f);
  cudaEventRecord(end, stream);
  cudaEventRecord(silent, stream);
  float milliseconds = -1;
  check(cudaEventQuery(end) == cudaErrorNotReady, "not reached yet");
  check(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorNotReady, "no time yet");
  check(cudaEventSynchronize(end) == cudaSuccess && cudaEventQuery(end) == cudaSuccess, "reached");
  check(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess && milliseconds > 0,
        "some time passed");
  check(cudaEventElapsedTime(&milliseconds, start, silent) == cudaErrorInvalidResourceHandle,
        "keeps no time");
  check(cudaEventElapsedTime(&milliseconds, start, never) == cudaErrorInvalidResourceHandle,
        "never recorded");
  check(cudaEventSynchronize(never) == cudaSuccess, "nothing to wait for");
  check(cudaEventDestroy(end) == cudaSuccess, "destroyed");
  check(cudaEventQuery(end) == cudaErrorInvalidResourceHandle, "gone");
  int least = 1, greatest = 1, priority = 1;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t urgent = nullptr;
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);
  check(cudaStreamGetPriority(urgent, &priority) == cudaSuccess && priority == greatest,
        "priority");
  check(cudaStreamDestroy(urgent) == cudaSuccess, "a stream destroyed");
  check(cudaStreamSynchronize(urgent) == cudaErrorInvalidResourceHandle, "is no stream");
  cudaGetLastError();
}

void newest_first() { // unrelated streams run newest first at a device's synchronization
  cudaStream_t a = new_stream(), b = new_stream();
  float *pinned;
  cudaMallocHost(&pinned, 3 * sizeof(float));
  DeviceArray<float> order(std::vector<float>{0});
  static float next;
  next = 0;
  auto stamp = [](void *at) { *static_cast<float *>(at) = ++next; };
  cudaLaunchHostFunc(a, stamp, pinned);
  cudaLaunchHostFunc(b, stamp, pinned + 1);
  cudaLaunchHostFunc(b, stamp, pinned + 2);
  cudaDeviceSynchronize();
  check(pinned[1] == 1 && pinned[2] == 2 && pinned[0] == 3, "the head submitted last runs first");
}

void long_queues() {
  cudaStream_t a = new_stream(), b = new_stream();
  cudaEvent_t event;
  cudaEventCreate(&event);
  DeviceArray<float> x(1);
  for (int i = 0; i < 12000;
       i++) { // a chain over two streams, longer than any stack and than the queue
    cudaStream_t from = i % 2 ? a : b, to = i % 2 ? b : a;
    LAUNCH(write_value, 1, 1, 0, from, x.pointer, static_cast<float>(i));
    cudaEventRecord(event, from);
    cudaStreamWaitEvent(to, event, 0);
  }
  cudaStreamSynchronize(b);
  cudaDeviceSynchronize();
  check(x.get()[0] == 11999.0f, "36000 items");
}

void allocator_blocks() { // a caching allocator's parts of one allocation are unrelated
  DeviceArray<float> segment(1024);
  tocha_simulator_block(segment.pointer, 2048);
  tocha_simulator_block(segment.pointer + 512, 2048);
  cudaStream_t a = new_stream(), b = new_stream();
  LAUNCH(write_value, 1, 1, 0, a, segment.pointer, 1.0f);
  LAUNCH(write_value, 1, 1, 0, b, segment.pointer + 512, 1.0f);
  check(cudaDeviceSynchronize() == cudaSuccess, "two blocks on two streams");
}

// --- missing orders ------------------------------------------------------------------------------
void read_after_write() {
  Bench b;
  write_x(b, b.first);
  read_x(b, b.y, b.second);
  cudaDeviceSynchronize();
}

void write_after_read() {
  Bench b;
  read_x(b, b.y, b.first);
  write_x(b, b.second);
  cudaDeviceSynchronize();
}

void write_after_write() {
  Bench b;
  write_x(b, b.first);
  cudaMemsetAsync(b.x, 0, 4, b.second);
  cudaDeviceSynchronize();
}

void behind_older_work() { // adverse order alone would not show it
  Bench b;
  write_x(b, b.first);
  for (int i = 0; i < 10; i++) LAUNCH(nothing, 1, 1, 0, b.second);
  read_x(b, b.y, b.second);
  cudaStreamSynchronize(b.first);
  cudaDeviceSynchronize();
}

void event_too_early() {
  Bench b;
  cudaEventRecord(b.event, b.first);
  write_x(b, b.first);
  cudaStreamWaitEvent(b.second, b.event, 0);
  read_x(b, b.y, b.second);
  cudaDeviceSynchronize();
}

void waited_on_the_wrong_stream() {
  Bench b;
  cudaStream_t third = new_stream();
  write_x(b, b.first);
  cudaEventRecord(b.event, b.first);
  cudaStreamWaitEvent(third, b.event, 0);
  read_x(b, b.y, b.second);
  cudaDeviceSynchronize();
}

void copy_not_waited_for() {
  Bench b;
  float *pinned;
  cudaMallocHost(&pinned, 4);
  *pinned = 4;
  cudaMemcpyAsync(b.x, pinned, 4, cudaMemcpyHostToDevice, b.first);
  read_x(b, b.y, b.second);
  cudaDeviceSynchronize();
}

void pinned_buffer_reused() {
  Bench b;
  float *pinned;
  cudaMallocHost(&pinned, 4);
  cudaMemcpyAsync(pinned, b.x, 4, cudaMemcpyDeviceToHost, b.first);
  cudaMemcpyAsync(b.y, pinned, 4, cudaMemcpyHostToDevice, b.second);
  cudaDeviceSynchronize();
}

void default_stream_does_not_order_others() {
  Bench b;
  write_x(b, 0);
  read_x(b, b.y, b.first); // a non-blocking stream
  cudaDeviceSynchronize();
}

void structure_counts_as_written() {
  Bench b;
  Pair p = {b.y, b.x}, q = {b.z, b.x};
  LAUNCH(read_pair, 1, 1, 0, b.first, p);
  LAUNCH(read_pair, 1, 1, 0, b.second, q);
  cudaDeviceSynchronize();
}

void same_block() {
  DeviceArray<float> segment(1024);
  tocha_simulator_block(segment.pointer, 2048);
  cudaStream_t a = new_stream(), b = new_stream();
  LAUNCH(write_value, 1, 1, 0, a, segment.pointer, 1.0f);
  LAUNCH(write_value, 1, 1, 0, b, segment.pointer + 100, 1.0f);
  cudaDeviceSynchronize();
}

void across_devices() {
  DeviceArray<float> on_0(1);
  cudaStream_t stream_0 = new_stream();
  LAUNCH(write_value, 1, 1, 0, stream_0, on_0.pointer, 1.0f);
  cudaSetDevice(1);
  DeviceArray<float> on_1(1);
  cudaStream_t stream_1 = new_stream();
  cudaMemcpyPeerAsync(on_1, 1, on_0, 0, 4, stream_1);
  cudaStreamSynchronize(stream_1);
}

// A host that does not wait reads what was there before: fresh pinned memory is NaN.
void host_does_not_wait() {
  Bench b;
  float *pinned;
  cudaMallocHost(&pinned, 4);
  cudaMemcpyAsync(pinned, b.x, 4, cudaMemcpyDeviceToHost, b.first);
  check(*pinned != *pinned, "without synchronization the host reads NaN");
  cudaStreamSynchronize(b.first);
  check(*pinned == 1.0f, "with it, the value");
}

} // namespace

void stream_specs() {
  Environment two;
  two.devices = 2;
  expect_silence("orders that are there", ordered);
  expect_silence("the default stream", default_stream);
  expect_silence("events", events);
  expect_silence("adverse order", newest_first);
  expect_silence("long queues", long_queues);
  expect_silence("blocks of an allocator", allocator_blocks);
  expect_silence("a host that does not wait", host_does_not_wait);
  const char *error = "cudaErrorUnknown";
  expect_fault("read after write", read_after_write, error,
               "unordered: read_value reads 0 bytes into an allocation of 4 bytes on device 0 on "
               "stream 1, and "
               "nothing orders it after write_value, which writes it on stream 0");
  expect_fault("write after read", write_after_read, error,
               "nothing orders it after read_value, which reads");
  expect_fault("write after write", write_after_write, error, "unordered: cudaMemsetAsync writes");
  expect_fault("hazard behind older work", behind_older_work, error, "unordered: read_value reads");
  expect_fault("event recorded too early", event_too_early, error, "unordered: read_value reads");
  expect_fault("wrong stream waits", waited_on_the_wrong_stream, error,
               "unordered: read_value reads");
  expect_fault("copy not waited for", copy_not_waited_for, error,
               "after cudaMemcpyAsync, which writes");
  expect_fault("pinned buffer reused", pinned_buffer_reused, error,
               "unordered: cudaMemcpyAsync reads");
  expect_fault("non-blocking stream", default_stream_does_not_order_others, error,
               "on default stream");
  expect_fault("pointer in a structure", structure_counts_as_written, error,
               "unordered: read_pair writes");
  expect_fault("within a block", same_block, error, "unordered: write_value writes");
  expect_fault("across devices", across_devices, error, "unordered: cudaMemcpyPeerAsync reads",
               nullptr, two);
}
