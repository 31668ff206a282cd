// graph_spec.cu: captures and graphs: what they replay, which calls a capture does not permit, and
// that a missing order within a graph, or memory freed behind it, is found.
#include "device_array.h"
#include "harness.h"

namespace {

__global__ void add_one(float *x) { *x += 1; }
__global__ void copy_value(float *out, const float *in) { *out = *in; }

struct Bench {
  cudaStream_t first = new_stream(), second = new_stream();
  cudaEvent_t event = nullptr;
  DeviceArray<float> x{std::vector<float>{0}}, y{std::vector<float>{0}};
  Bench() { cudaEventCreateWithFlags(&event, cudaEventDisableTiming); }
};

bool begins(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  return cudaStreamBeginCapture(stream, mode) == cudaSuccess;
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  return status;
}

// Ends a capture, and returns its executable graph.
cudaGraphExec_t finish(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph, "a capture ends");
  check(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess, "and is instantiated");
  cudaGraphDestroy(graph);
  return exec;
}

void replays() {
  Bench b;
  check(status_of(b.first) == cudaStreamCaptureStatusNone, "no capture");
  check(begins(b.first) && status_of(b.first) == cudaStreamCaptureStatusActive, "a capture");
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  LAUNCH(copy_value, 1, 1, 0, b.first, b.y.pointer, b.x.pointer);
  cudaMemsetAsync(b.x, 0, 0, b.first);
  cudaGraphExec_t exec = finish(b.first);
  check(b.x.get()[0] == 0, "nothing ran in the capture");
  for (int i = 0; i < 3; i++) cudaGraphLaunch(exec, i == 1 ? b.second : b.first);
  cudaDeviceSynchronize();
  check(b.x.get()[0] == 3 && b.y.get()[0] == 3, "three replays, one after the other");
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  check(cudaDeviceSynchronize() == cudaSuccess && b.x.get()[0] == 4, "and work behind them");
  check(cudaGraphExecDestroy(exec) == cudaSuccess, "destroyed");
  check(cudaGraphLaunch(exec, b.first) == cudaErrorInvalidValue, "and gone");
  cudaGetLastError();
}

// Captures a fork to the second stream and its join, unless `joined` is false.
void capture_fork(Bench &b, bool joined) {
  begins(b.first);
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  cudaEventRecord(b.event, b.first);
  cudaStreamWaitEvent(b.second, b.event, 0);
  LAUNCH(copy_value, 1, 1, 0, b.second, b.y.pointer, b.x.pointer);
  if (!joined) return;
  cudaEventRecord(b.event, b.second);
  cudaStreamWaitEvent(b.first, b.event, 0);
}

void forks_and_joins() {
  Bench b;
  capture_fork(b, true);
  check(status_of(b.second) == cudaStreamCaptureStatusActive, "a second stream takes part");
  cudaGraphExec_t exec = finish(b.first);
  check(status_of(b.second) == cudaStreamCaptureStatusNone, "until the end");
  cudaGraphLaunch(exec, b.first);
  cudaStreamSynchronize(b.first);
  check(b.y.get()[0] == 1, "in order");
  capture_fork(b, false);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(b.first, &graph) == cudaErrorStreamCaptureUnjoined && !graph,
        "unjoined work");
  capture_fork(b, true);
  check(cudaStreamEndCapture(b.second, &graph) == cudaErrorStreamCaptureUnmatched,
        "ended on another stream");
  check(cudaStreamEndCapture(b.first, &graph) == cudaErrorStreamCaptureInvalidated, "and invalid");
  cudaGetLastError();
}

// Checks that a call in a capture gives this error and invalidates it.
template <class Call> void refuses(cudaError_t error, const char *what, Call call) {
  Bench b;
  cudaEventRecord(b.event, b.second);
  begins(b.first);
  check(call(b) == error, what);
  check(status_of(b.first) == cudaStreamCaptureStatusInvalidated, "invalidates the capture");
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  check(cudaGetLastError() == cudaErrorStreamCaptureInvalidated, "what follows fails");
  cudaGraph_t graph;
  check(cudaStreamEndCapture(b.first, &graph) == cudaErrorStreamCaptureInvalidated, "and the end");
  cudaGetLastError();
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  check(cudaStreamSynchronize(b.first) == cudaSuccess, "the stream works");
}

void refusals() {
  const cudaError_t forbidden = cudaErrorStreamCaptureUnsupported;
  refuses(forbidden, "a stream", [](Bench &b) { return cudaStreamSynchronize(b.first); });
  refuses(forbidden, "a query", [](Bench &b) { return cudaStreamQuery(b.first); });
  refuses(forbidden, "the device", [](Bench &) { return cudaDeviceSynchronize(); });
  refuses(forbidden, "an event", [](Bench &b) { return cudaEventQuery(b.event); });
  refuses(forbidden, "cudaMalloc", [](Bench &) {
    void *data;
    return cudaMalloc(&data, 4);
  });
  refuses(forbidden, "pageable memory", [](Bench &b) {
    float value = 1;
    return cudaMemcpyAsync(b.x.pointer, &value, 4, cudaMemcpyHostToDevice, b.first);
  });
  refuses(cudaErrorStreamCaptureIsolation, "earlier work",
          [](Bench &b) { return cudaStreamWaitEvent(b.first, b.event, 0); });
  refuses(cudaErrorCapturedEvent, "its own event", [](Bench &b) {
    cudaEventRecord(b.event, b.first);
    return cudaEventSynchronize(b.event);
  });
}

void permits() {
  Bench b;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  begins(b.first);
  cudaThreadExchangeStreamCaptureMode(&mode);
  void *data = nullptr;
  check(cudaMalloc(&data, 4) == cudaSuccess, "a relaxed thread allocates");
  cudaThreadExchangeStreamCaptureMode(&mode);
  check(mode == cudaStreamCaptureModeRelaxed, "modes are exchanged");
  LAUNCH(add_one, 1, 1, 0, b.second, b.y.pointer);
  cudaGraphExecDestroy(finish(b.first));
  cudaDeviceSynchronize();
  check(b.y.get()[0] == 1, "other streams run");
  begins(b.first, cudaStreamCaptureModeRelaxed);
  check(cudaFree(data) == cudaSuccess, "a relaxed capture");
  check(cudaStreamBeginCapture(b.first, mode) == cudaErrorIllegalState, "begun twice");
  cudaGraphExecDestroy(finish(b.first));
  check(cudaStreamBeginCapture(nullptr, mode) == cudaErrorStreamCaptureUnsupported,
        "the default stream");
  cudaGetLastError();
}

// --- faults --------------------------------------------------------------------------------------
void unordered_branches() {
  Bench b;
  begins(b.first);
  cudaEventRecord(b.event, b.first);
  cudaStreamWaitEvent(b.second, b.event, 0);
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  LAUNCH(copy_value, 1, 1, 0, b.second, b.y.pointer, b.x.pointer);
  cudaEventRecord(b.event, b.second);
  cudaStreamWaitEvent(b.first, b.event, 0);
  cudaGraphExec_t exec = finish(b.first);
  cudaGraphLaunch(exec, b.first);
  cudaDeviceSynchronize();
}

void unordered_replay() {
  Bench b;
  begins(b.first);
  LAUNCH(add_one, 1, 1, 0, b.first, b.x.pointer);
  cudaGraphExec_t exec = finish(b.first);
  cudaGraphLaunch(exec, b.first);
  LAUNCH(add_one, 1, 1, 0, b.second, b.x.pointer);
  cudaDeviceSynchronize();
}

void freed_memory() {
  Bench b;
  float *gone = nullptr;
  cudaMalloc(&gone, 4);
  begins(b.first);
  LAUNCH(add_one, 1, 1, 0, b.first, gone);
  cudaGraphExec_t exec = finish(b.first);
  cudaFree(gone);
  cudaGraphLaunch(exec, b.first);
  cudaDeviceSynchronize();
}

} // namespace

void graph_specs() {
  expect_silence("graphs: replays", replays);
  expect_silence("graphs: forks and joins", forks_and_joins);
  expect_silence("graphs: what a capture does not permit", refusals);
  expect_silence("graphs: what it does", permits);
  expect_fault("graphs: unordered branches", unordered_branches, "cudaErrorUnknown", "unordered");
  expect_fault("graphs: a replay and other work", unordered_replay, "cudaErrorUnknown",
               "unordered");
  expect_fault("graphs: memory freed behind one", freed_memory, "cudaErrorIllegalAddress",
               "add_one uses freed memory");
}
