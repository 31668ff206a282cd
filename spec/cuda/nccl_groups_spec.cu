// nccl_groups_spec.cu: the stand-in for NCCL: calls that begin as one, ncclAlltoAll, and communicators that are divided.
#include "nccl_ranks.h"

#include <string.h>

namespace {

typedef std::vector<float> Floats;

// Begins a send to the other one of two ranks and a receive from it as one, in either order.
ncclResult_t exchange(Rank &own, int other, float *output, bool sends_first, size_t count = 2) {
  ncclGroupStart();
  if (sends_first) ncclSend(own.x.pointer, count, ncclFloat32, other, own.comm, own.stream);
  ncclRecv(output, count, ncclFloat32, other, own.comm, own.stream);
  if (!sends_first) ncclSend(own.x.pointer, count, ncclFloat32, other, own.comm, own.stream);
  return ncclGroupEnd();
}

void exchanges() {
  Both two;
  DeviceArray<float> on_b{Floats{0, 0}};
  LAUNCH(set_value, 1, 1, 0, two.b.stream, two.b.x.pointer, 3.0f);
  check(exchange(two.b, 0, on_b.pointer, false) == ncclInProgress, "rank 1's group");
  cudaSetDevice(0);
  DeviceArray<float> on_a{Floats{0, 0}};
  LAUNCH(set_value, 1, 1, 0, two.a.stream, two.a.x.pointer, 2.0f);
  check(exchange(two.a, 1, on_a.pointer, false) == ncclInProgress, "rank 0's group");
  cudaStreamSynchronize(two.a.stream);
  check(on_a.get()[0] == 3.0f, "what rank 0 received");
  cudaStreamSynchronize(two.b.stream);
  check(on_b.get()[0] == 2.0f, "what rank 1 received");
}

// A group of which one call is refused begins nothing.
void refused_groups() {
  Both two;
  cudaSetDevice(0);
  ncclGroupStart();
  check(two.a.sum(2) == ncclSuccess, "the first call");
  check(ncclSend(two.a.x.pointer, 2, ncclFloat32, 7, two.a.comm, two.a.stream) == ncclInvalidUsage,
        "a rank that is not there");
  check(ncclGroupEnd() == ncclInvalidUsage, "the group's end says so");
  check(cudaStreamQuery(two.a.stream) == cudaSuccess, "nothing has begun");
  check(ncclGroupEnd() == ncclInvalidUsage, "an end without a beginning");
  ncclGroupStart();
  check(ncclGroupEnd() == ncclSuccess, "a group of nothing, after it");
}

void parts_for_all() {
  Both two;
  DeviceArray<float> to_b{Floats{0, 0}};
  two.b.x.set({3, 4});
  check(ncclAlltoAll(two.b.x.pointer, to_b.pointer, 1, ncclFloat32, two.b.comm, two.b.stream) ==
            ncclInProgress,
        "rank 1's parts");
  cudaSetDevice(0);
  DeviceArray<float> to_a{Floats{0, 0}};
  two.a.x.set({1, 2});
  check(ncclAlltoAll(two.a.x.pointer, to_a.pointer, 1, ncclFloat32, two.a.comm, two.a.stream) ==
            ncclInProgress,
        "rank 0's parts");
  cudaStreamSynchronize(two.a.stream);
  cudaStreamSynchronize(two.b.stream);
  check(to_a.get() == Floats({1, 3}), "the first parts");
  check(to_b.get() == Floats({2, 4}), "the second parts");
  check(settled(two.a.comm) == ncclSuccess, "rank 0 has ended");
  check(ncclAlltoAll(two.a.x.pointer, two.a.x.pointer, 1, ncclFloat32, two.a.comm, two.a.stream) ==
            ncclInvalidArgument,
        "not in place");
}

// Divides both, each with a color and a key. Returns false unless both calls succeed.
bool split(Both &two, const int (&colors)[2], const int (&keys)[2], ncclComm_t (&children)[2]) {
  ncclConfig_t config = not_blocking();
  check(ncclCommSplit(two.b.comm, colors[1], keys[1], &children[1], &config) == ncclInProgress,
        "rank 1 waits");
  check(two.b.sum(2) == ncclInvalidUsage, "no call before it has ended");
  ncclCommSplit(two.a.comm, colors[0], keys[0], &children[0], &config);
  ncclResult_t state = ncclInProgress;
  for (int i = 0; i < 100 && state == ncclInProgress; i++) { // both have to be asked
    ncclCommGetAsyncError(two.a.comm, &state);
    if (state == ncclInProgress) ncclCommGetAsyncError(two.b.comm, &state);
  }
  return settled(two.a.comm) == ncclSuccess && settled(two.b.comm) == ncclSuccess;
}

void divisions() {
  Both two;
  ncclComm_t children[2] = {};
  for (int turn = 0; turn < 3; turn++) {
    check(split(two, {4, 4}, {1, 0}, children) && children[0] && children[1], "a division");
    check(settled(children[0]) == ncclSuccess && settled(children[1]) == ncclSuccess,
          "the new ones have met");
    two.b.x.set({5, 6});
    check(ncclBroadcast(two.b.x.pointer, two.b.x.pointer, 2, ncclFloat32, 0, children[1],
                        two.b.stream) == ncclInProgress,
          "rank 1 is the first one by its key");
    cudaSetDevice(0);
    ncclBroadcast(two.a.x.pointer, two.a.x.pointer, 2, ncclFloat32, 0, children[0], two.a.stream);
    cudaStreamSynchronize(two.a.stream);
    check(two.a.x.get() == Floats({5, 6}), "it sends");
    cudaStreamSynchronize(two.b.stream);
    for (ncclComm_t child : children) check(ncclCommAbort(child) == ncclSuccess, "an end");
    cudaSetDevice(1);
  }
  check(split(two, {0, NCCL_SPLIT_NOCOLOR}, {0, 0}, children), "one of two");
  check(children[0] && !children[1], "a rank without a color receives none");
  check(settled(children[0]) == ncclSuccess, "one rank alone");
  two.b.sum(2);
  cudaSetDevice(0);
  check(two.a.sum(2) == ncclInProgress && cudaStreamSynchronize(two.a.stream) == cudaSuccess,
        "the old one goes on");
  cudaStreamSynchronize(two.b.stream);
}

void refused_divisions() {
  Both two;
  ncclComm_t child = nullptr;
  cudaSetDevice(0);
  two.a.sum(2);
  check(settled(two.a.comm) == ncclSuccess, "a call has ended, and its work runs");
  check(ncclCommSplit(two.a.comm, 0, 0, &child, nullptr) == ncclInvalidUsage, "work runs");
  check(strstr(ncclGetLastError(two.a.comm), "run") != nullptr, "its words");
  two.b.sum(2);
  cudaStreamSynchronize(two.a.stream);
  cudaStreamSynchronize(two.b.stream);
  check(ncclCommSplit(two.a.comm, -2, 0, &child, nullptr) == ncclInvalidArgument, "a color");
  check(ncclCommSplit(two.a.comm, 0, 0, &child, nullptr) == ncclInProgress, "waits for rank 1");
  check(ncclCommAbort(two.a.comm) == ncclSuccess, "an abort meanwhile");
  check(ncclCommSplit(two.a.comm, 0, 0, &child, nullptr) == ncclInvalidArgument, "after an abort");
  check(!child, "nobody has written the handle");
  check(ncclCommAbort(two.b.comm) == ncclSuccess, "an abort at rest");
}

void aborted_groups() {
  Both two;
  cudaSetDevice(0);
  DeviceArray<float> on_a{Floats{0, 0}};
  exchange(two.a, 1, on_a.pointer, true);
  check(cudaStreamQuery(two.a.stream) == cudaErrorNotReady, "it waits for rank 1");
  cudaGetLastError();
  check(ncclCommAbort(two.a.comm) == ncclSuccess, "an abort while it runs");
  check(cudaStreamSynchronize(two.a.stream) == cudaSuccess, "the stream goes on");
  ncclGroupStart();
  check(two.a.sum(2) == ncclInvalidArgument && ncclGroupEnd() == ncclInvalidArgument,
        "a group after an abort");
}

void different_exchanges() {
  Both two;
  DeviceArray<float> on_b{Floats{0, 0}};
  exchange(two.b, 0, on_b.pointer, true);
  cudaSetDevice(0);
  DeviceArray<float> on_a{Floats{0, 0}};
  exchange(two.a, 1, on_a.pointer, true, 1);
  cudaStreamSynchronize(two.a.stream);
}

void different_parts() {
  Both two;
  DeviceArray<float> to_b{Floats{0, 0}};
  ncclAlltoAll(two.b.x.pointer, to_b.pointer, 1, ncclFloat32, two.b.comm, two.b.stream);
  cudaSetDevice(0);
  two.a.sum(2);
  cudaStreamSynchronize(two.a.stream);
}

void one_buffer() {
  Both two;
  cudaSetDevice(0);
  exchange(two.a, 1, two.a.x.pointer, true);
}

} // namespace

void nccl_group_specs() {
  expect_silence("NCCL: exchanges", exchanges, two_devices());
  expect_silence("NCCL: groups that are refused", refused_groups, two_devices());
  expect_silence("NCCL: parts for all", parts_for_all, two_devices());
  expect_silence("NCCL: divisions", divisions, two_devices());
  expect_silence("NCCL: divisions that are refused", refused_divisions, two_devices());
  expect_silence("NCCL: a group that is aborted", aborted_groups, two_devices());
  expect_fault("NCCL: messages of a group differ", different_exchanges, "cudaErrorUnknown",
               "but rank", nullptr, two_devices());
  expect_fault("NCCL: another collective", different_parts, "cudaErrorUnknown", "in ncclAlltoAll",
               nullptr, two_devices());
  expect_fault("NCCL: one buffer in a group", one_buffer, "cudaErrorUnknown",
               "unordered: ncclSend and ncclRecv, which are in one group", nullptr, two_devices());
}
