/* nccl.c: an NCCL that does nothing and counts its calls (runtime.cpp). Communicators are ready at once, and their work is done. */
#include "distributed/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
  const char *name;
  unsigned long long calls;
  struct tally *next;
} tally;

static tally *counts;

static ncclResult_t counted(tally *c) {
  if (!c->calls++) {
    c->next = counts;
    counts = c;
  }
  return ncclSuccess;
}

static void report(void) {
  const char *path = getenv("NULL_CUDA_COUNTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  for (const tally *c = counts; c; c = c->next) fprintf(file, "%s %llu\n", c->name, c->calls);
  fclose(file);
}

/* A function that has nothing to answer. */
#define NOTHING(name, parameters)                                                                  \
  ncclResult_t name parameters {                                                                   \
    static tally calls = {#name, 0, NULL};                                                         \
    return counted(&calls);                                                                        \
  }

NOTHING(ncclCommFinalize, (ncclComm_t comm))
NOTHING(ncclCommDestroy, (ncclComm_t comm))
NOTHING(ncclCommAbort, (ncclComm_t comm))
NOTHING(ncclRedOpDestroy, (ncclRedOp_t op, ncclComm_t comm))
NOTHING(ncclGroupStart, (void))
NOTHING(ncclGroupEnd, (void))
NOTHING(ncclAllReduce, (const void *input, void *output, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream))
NOTHING(ncclBroadcast, (const void *input, void *output, size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream))
NOTHING(ncclReduce, (const void *input, void *output, size_t count, ncclDataType_t type,
                     ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream))
NOTHING(ncclAllGather, (const void *input, void *output, size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream))
NOTHING(ncclReduceScatter, (const void *input, void *output, size_t count, ncclDataType_t type,
                            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream))
NOTHING(ncclAlltoAll, (const void *input, void *output, size_t count, ncclDataType_t type,
                       ncclComm_t comm, cudaStream_t stream))
NOTHING(ncclSend, (const void *input, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                   cudaStream_t stream))
NOTHING(ncclRecv, (void *output, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                   cudaStream_t stream))

NOTHING(ncclCommInitRankScalable, (ncclComm_t * comm, int size, int rank, int id_count,
                                   ncclUniqueId *ids, ncclConfig_t *config))

const char *ncclGetErrorString(ncclResult_t result) {
  (void)result;
  return "no error";
}

const char *ncclGetLastError(ncclComm_t comm) {
  (void)comm;
  return "";
}

ncclResult_t ncclGetVersion(int *version) {
  *version = 23007;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  memset(id, 0, sizeof *id);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  static tally calls = {"ncclCommInitRankConfig", 0, NULL};
  (void)size, (void)id, (void)rank, (void)config;
  if (!calls.calls) atexit(report);
  *comm = (ncclComm_t)&calls;
  return counted(&calls);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
                           ncclConfig_t *config) {
  static tally calls = {"ncclCommSplit", 0, NULL};
  (void)key, (void)config;
  *newcomm = color == NCCL_SPLIT_NOCOLOR ? NULL : comm;
  return counted(&calls);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  static tally calls = {"ncclCommGetAsyncError", 0, NULL};
  (void)comm;
  *error = ncclSuccess;
  return counted(&calls);
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  static tally calls = {"ncclRedOpCreatePreMulSum", 0, NULL};
  (void)scalar, (void)type, (void)residence, (void)comm;
  *op = ncclNumOps;
  return counted(&calls);
}
