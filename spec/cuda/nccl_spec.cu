// nccl_spec.cu: the stand-in for NCCL between devices of one process: its sums, that its work goes on by itself, mistakes
// that it refuses, and aborts in every state. spec/distributed/nccl_spec.lua has ranks in processes.
#include "nccl_ranks.h"

#include <string.h>

namespace {

void sums() {
  Both two;
  LAUNCH(set_value, 1, 1, 0, two.b.stream, two.b.x.pointer, 3.0f);
  check(two.b.sum(2) == ncclInProgress, "a call that does not block");
  cudaSetDevice(0);
  LAUNCH(set_value, 1, 1, 0, two.a.stream, two.a.x.pointer, 2.0f);
  two.a.sum(2);
  cudaStreamSynchronize(two.a.stream); // nobody waits for the other stream
  check(two.a.x.get()[0] == 5.0f, "the sum of rank 0");
  check(settled(two.b.comm) == ncclSuccess, "rank 1's call has ended");
  for (int i = 0; i < 5000 && cudaStreamQuery(two.b.stream) == cudaErrorNotReady; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  cudaGetLastError();
  check(two.b.x.get()[0] == 5.0f, "the sum of rank 1");
}

void ranks_in_threads() {
  const ncclUniqueId id = new_id();
  float results[2] = {};
  auto run = [&](int rank) {
    cudaSetDevice(rank);
    ncclComm_t comm;
    cudaStream_t stream = new_stream();
    DeviceArray<float> x{std::vector<float>{float(rank + 1)}};
    if (ncclCommInitRankConfig(&comm, 2, id, rank, nullptr) != ncclSuccess) return;
    for (int i = 0; i < 20; i++)
      ncclAllReduce(x.pointer, x.pointer, 1, ncclFloat32, ncclSum, comm, stream);
    cudaStreamSynchronize(stream);
    results[rank] = x.get()[0];
    ncclCommDestroy(comm);
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  check(results[0] == 3.0f * 524288 && results[1] == results[0], "20 sums of two threads");
}

void refusals() {
  Both two;
  two.b.sum(2);
  check(two.b.sum(2) == ncclInvalidUsage, "a call before the last one was asked for");
  check(settled(two.b.comm) == ncclSuccess && two.b.sum(2) == ncclInProgress, "and after");
  ncclCommAbort(two.b.comm);
  check(two.b.sum(2) == ncclInvalidArgument, "use after an abort");
  check(ncclCommAbort(two.b.comm) == ncclInvalidArgument, "a second abort");
  cudaSetDevice(0);
  const ncclUniqueId id = new_id();
  Rank first(id, 0), second(id, 1);
  check(settled(first.comm) == ncclInvalidUsage, "two ranks on one GPU");
  check(strstr(ncclGetLastError(first.comm), "Duplicate GPU detected") != nullptr, "its words");
}

void aborts() {
  const ncclUniqueId id = new_id();
  Rank alone(id, 0);
  ncclResult_t state = ncclSuccess;
  ncclCommGetAsyncError(alone.comm, &state);
  check(state == ncclInProgress && ncclCommAbort(alone.comm) == ncclSuccess,
        "an abort while it meets");
  Both two;
  cudaSetDevice(0);
  two.a.sum(2);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event, two.a.stream);
  check(cudaEventQuery(event) == cudaErrorNotReady, "it waits for rank 1");
  cudaGetLastError();
  check(ncclCommAbort(two.a.comm) == ncclSuccess, "an abort while it runs");
  check(cudaStreamSynchronize(two.a.stream) == cudaSuccess, "the stream goes on");
  check(ncclCommAbort(two.b.comm) == ncclSuccess, "an abort at rest");
}

void different_counts() {
  Both two;
  two.b.sum(2);
  cudaSetDevice(0);
  two.a.sum(1);
  cudaStreamSynchronize(two.a.stream);
}

void different_types() {
  Both two;
  two.b.sum(1);
  cudaSetDevice(0);
  two.a.sum(1, ncclInt32);
  cudaStreamSynchronize(two.a.stream);
}

void unordered_use() {
  Both two;
  cudaSetDevice(0);
  LAUNCH(set_value, 1, 1, 0, new_stream(), two.a.x.pointer, 2.0f);
  two.a.sum(2);
}

} // namespace

void nccl_specs() {
  expect_silence("NCCL: a sum", sums, two_devices());
  expect_silence("NCCL: ranks in threads", ranks_in_threads, two_devices());
  expect_silence("NCCL: refusals", refusals, two_devices());
  expect_silence("NCCL: aborts", aborts, two_devices());
  expect_fault("NCCL: counts differ", different_counts, "cudaErrorUnknown", "ncclAllReduce of",
               nullptr, two_devices());
  expect_fault("NCCL: types differ", different_types, "cudaErrorUnknown", "of type 2", nullptr,
               two_devices());
  expect_fault("NCCL: a buffer that is still written", unordered_use, "cudaErrorUnknown",
               "unordered: ncclAllReduce", nullptr, two_devices());
}
