// range_spec.cu: addresses that are reserved, and memory that is mapped there.
#include "device_array.h"
#include "harness.h"

#include <cuda.h>

namespace {

const size_t unit = size_t(2) << 20;

__global__ void fill(int *values, int value) { values[threadIdx.x] = value; }

// A range of two units of device 0, the first of which has memory.
struct TwoUnits {
  CUdeviceptr address = 0;
  CUmemGenericAllocationHandle memory = 0;

  TwoUnits() {
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check(cuMemAddressReserve(&address, 2 * unit, 0, 0, 0) == CUDA_SUCCESS, "addresses");
    check(cuMemCreate(&memory, unit, &properties, 0) == CUDA_SUCCESS, "memory");
    check(cuMemMap(address, unit, 0, memory, 0) == CUDA_SUCCESS, "there");
    permit(0);
  }
  void permit(int device) {
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(cuMemSetAccess(address, unit, &access, 1) == CUDA_SUCCESS, "for a device");
  }
  int *at(size_t offset) const { return reinterpret_cast<int *>(address + offset); }
};

int first_of(const int *values) {
  int value = 0;
  cudaMemcpy(&value, values, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

void mapping() {
  size_t all, before, after;
  cudaMemGetInfo(&before, &all);
  TwoUnits two;
  cudaMemGetInfo(&after, &all);
  check(before - after == unit, "memory counts, addresses do not");
  LAUNCH(fill, 1, 32, 0, 0, two.at(0), 7);
  check(first_of(two.at(0)) == 7, "a kernel uses it");
  check(cuMemMap(two.address + unit, unit, 0, two.memory, 0) == CUDA_ERROR_INVALID_VALUE,
        "memory is in one place");
  check(cuMemMap(two.address, unit, 0, two.memory, 0) == CUDA_ERROR_INVALID_VALUE,
        "a place has one memory");
  check(cuMemAddressFree(two.address, 2 * unit) == CUDA_ERROR_INVALID_VALUE, "and is in use");
  cudaDeviceSynchronize();
  check(cuMemUnmap(two.address, unit) == CUDA_SUCCESS, "taken away");
  check(cuMemUnmap(two.address, unit) == CUDA_ERROR_INVALID_VALUE, "once");
  check(cuMemRelease(two.memory) == CUDA_SUCCESS, "and given back");
  cudaMemGetInfo(&after, &all);
  check(before == after, "nothing is lost");
  check(cuMemAddressFree(two.address, 2 * unit) == CUDA_SUCCESS, "nor the addresses");
}

void limits() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle a, b;
  check(cuMemCreate(&a, 24 * unit, &properties, 0) == CUDA_SUCCESS, "48 of 64 MB");
  check(cuMemCreate(&b, 24 * unit, &properties, 0) == CUDA_ERROR_OUT_OF_MEMORY,
        "another 48 do not fit");
  void *c = nullptr;
  check(cudaMalloc(&c, 20 * unit) == cudaErrorMemoryAllocation, "nor for cudaMalloc");
  cudaGetLastError();
  check(cuMemCreate(&b, unit + 1, &properties, 0) == CUDA_ERROR_INVALID_VALUE, "whole units only");
  check(cuMemRelease(a) == CUDA_SUCCESS && cudaMalloc(&c, 20 * unit) == cudaSuccess, "after that");
  cudaFree(c);
}

void another_device() {
  TwoUnits two;
  LAUNCH(fill, 1, 32, 0, 0, two.at(0), 3);
  cudaDeviceSynchronize();
  two.permit(1);
  cudaSetDevice(1);
  LAUNCH(fill, 1, 32, 0, 0, two.at(0), 5);
  cudaDeviceSynchronize();
  check(first_of(two.at(0)) == 5, "the second device writes");
}

void no_memory() {
  TwoUnits two;
  LAUNCH(fill, 1, 32, 0, 0, two.at(unit), 1);
  cudaDeviceSynchronize();
}

void no_access() {
  TwoUnits two;
  cudaSetDevice(1);
  LAUNCH(fill, 1, 32, 0, 0, two.at(0), 1);
  cudaDeviceSynchronize();
}

void taken_away_too_early() {
  TwoUnits two;
  LAUNCH(fill, 1, 32, 0, 0, two.at(0), 1);
  cuMemUnmap(two.address, unit);
}

} // namespace

void range_specs() {
  Environment small, two;
  small.memory = "64M";
  two.devices = 2;
  expect_silence("memory that is mapped", mapping);
  expect_silence("a full GPU", limits, small);
  expect_silence("memory that two devices use", another_device, two);
  expect_fault("addresses without memory", no_memory, "cudaErrorIllegalAddress",
               "reserved addresses without memory");
  expect_fault("memory of another device", no_access, "cudaErrorIllegalAddress",
               "without memory that device 1 may use", nullptr, two);
  expect_fault("memory that is taken away too early", taken_away_too_early,
               "cudaErrorIllegalAddress", "work that is not done uses the memory");
}
