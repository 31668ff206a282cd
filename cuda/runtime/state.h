/* state.h: the plug-in's state for one context: devices, their streams and memory, the last
 * failure.
 *
 * Host code of cuda/ is C++ without exceptions. A function that can fail returns false (or NULL)
 * after fail(); the runtime reads the message. */
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "device/backend.h"

namespace tocha {

struct Allocator; /* allocator.h */
struct Blas;      /* blas.h */
struct Dnn;       /* dnn.h */
struct Cache;     /* bins.h */
struct Captured;  /* graph.cpp */
struct Graph;     /* graph.cpp */
struct Pinned;    /* pinned.h */
struct Solver;    /* linalg/solver.h */
struct Pool;      /* pools.h */

extern const tocha_backend backend; /* backend.cpp */
struct Watch;                       /* watch.h */

enum { STREAM_POOL = 32 };

/* The report of a kernel that met an index out of range; only the first one counts. It is in
 * pinned memory that the device can write, and is read at the next synchronization. */
enum { FAULT_IN_WORDS = -2 }; /* a value of dim: op is the whole message */
struct Fault {
  int claimed;    /* 0 or 1, by atomicExch */
  int reported;   /* 1 when the other fields are set */
  const char *op; /* the host's address of the operator's name */
  long long index, size;
  int dim; /* -1: unknown */
};

struct Device {
  bool ready;
  unsigned peers; /* bit per device: enabling peer access was tried */
  cudaDeviceProp properties;
  Allocator *allocator;
  Blas *blas;
  Dnn *dnn;
  Fault *fault;                       /* one for all streams of the device */
  tocha_stream *streams;              /* list of all streams; the default one is the first */
  tocha_stream *pool[2][STREAM_POOL]; /* by priority; created when first needed */
  int next[2];
  Solver *solver;
};

} // namespace tocha

struct tocha_backend_state {
  int device_count;
  tocha::Device devices[TOCHA_MAX_DEVICES];
  tocha::Pinned *pinned;
  tocha::Graph *capture;     /* whose capture is under way; NULL: none */
  tocha::Captured *captured; /* list of what graphs hold */
  uint64_t last_pool;        /* the number of the pool made last */
  tocha::Watch *watch;       /* NULL: not used yet */
  char message[1024];
  std::atomic<char *> lost; /* from malloc: why what the GPU left is of no use; NULL: it is */
};

namespace tocha {

/* A stream of this plug-in. */
struct Stream : tocha_stream {
  cudaStream_t cuda() const { return static_cast<cudaStream_t>(handle); }
  Device &home() const { return state->devices[device]; }
  Stream *following; /* next in the device's list */
  Cache *cache;      /* its free memory; NULL: none yet */
};
inline Stream *own(tocha_stream *stream) { return static_cast<Stream *>(stream); }

/* Records a failure in words; returns false. */
__attribute__((format(printf, 2, 3))) bool fail(tocha_backend_state *state, const char *format,
                                                ...);
/* Returns true if a call of the CUDA runtime succeeded; else records its error. What a capture does
 * not permit ends it. */
bool check(tocha_backend_state *state, cudaError_t status);
/* Returns true if the launch succeeded; errors of the running kernel come later. */
inline bool launched(tocha_stream *stream) { return check(stream->state, cudaGetLastError()); }
/* Returns true unless a kernel of any device reported an index out of range; records such a
 * report once. */
bool check_faults(tocha_backend_state *state);
/* Returns true unless what the GPU left was declared lost; says so once. */
bool check_lost(tocha_backend_state *state);
/* Makes the device current for this host thread, and initializes it on the first call. */
bool use_device(tocha_backend_state *state, int device);

} // namespace tocha
