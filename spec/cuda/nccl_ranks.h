// nccl_ranks.h: ranks of the stand-in for NCCL, each on a device of its own, for its specs.
#ifndef NCCL_RANKS_H
#define NCCL_RANKS_H

#include "device_array.h"
#include "distributed/interface.h"
#include "harness.h"

#include <chrono>
#include <thread>

static __global__ void set_value(float *out, float value) { *out = value; }

inline Environment two_devices() {
  Environment environment;
  environment.devices = 2;
  return environment;
}

inline ncclConfig_t not_blocking() {
  const int unset = NCCL_CONFIG_UNDEF_INT;
  return {
      sizeof(ncclConfig_t), NCCL_CONFIG_MAGIC, NCCL_OLDEST, 0, unset, unset, unset, nullptr, unset};
}

// Asks until the communicator's call has ended, for at most 5 s.
inline ncclResult_t settled(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  for (int i = 0; i < 5000 && state == ncclInProgress; i++) {
    if (ncclCommGetAsyncError(comm, &state) != ncclSuccess) return ncclInternalError;
    if (state == ncclInProgress) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return state;
}

struct Rank {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  DeviceArray<float> x{std::vector<float>{0, 0}};
  Rank(const ncclUniqueId &id, int rank, int size = 2) : stream(new_stream()) {
    ncclConfig_t config = not_blocking();
    check(ncclCommInitRankConfig(&comm, size, id, rank, &config) == ncclInProgress, "init begins");
  }
  ncclResult_t sum(size_t count, ncclDataType_t type = ncclFloat32) {
    return ncclAllReduce(x.pointer, x.pointer, count, type, ncclSum, comm, stream);
  }
};

inline ncclUniqueId new_id() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id) == ncclSuccess, "an id");
  return id;
}

// Two ranks, each on a device of its own.
struct Both {
  ncclUniqueId id = new_id();
  Rank a{id, 0};
  Rank b = (cudaSetDevice(1), Rank{id, 1});
  Both() {
    check(settled(a.comm) == ncclSuccess && settled(b.comm) == ncclSuccess, "both have met");
  }
};

#endif
