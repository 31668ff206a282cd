/* state.h: what the plug-in keeps for one context: devices, their streams and memory, the last
 * failure.
 *
 * Host code of cuda/ is C++ without exceptions. A function that can fail returns false (or NULL)
 * after fail(); the runtime asks for the words. */
#pragma once

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "device/backend.h"

namespace tocha {

struct Allocator; /* allocator.h */
struct Blas;      /* blas.h */
struct Cache;     /* bins.h */
struct Pinned;    /* pinned.h */

enum { STREAM_POOL = 32 };

/* What a kernel leaves for the host when it meets an index out of range: the first one counts. Lies
 * in pinned memory that the device reaches; read at the next synchronization. */
enum { FAULT_IN_WORDS = -2 }; /* for dim: op is the whole message */
struct Fault {
  int claimed;    /* 0 or 1, by atomicExch */
  int reported;   /* 1 when the rest is there */
  const char *op; /* host's address of the operator's name */
  long long index, size;
  int dim; /* -1: not said */
};

struct Device {
  bool ready;
  unsigned peers; /* bit per device: peer access was asked for */
  cudaDeviceProp properties;
  Allocator *allocator;
  Blas *blas;
  Fault *fault;          /* one for all streams of the device */
  tocha_stream *streams; /* chain of all that were made; the default one is the first */
  tocha_stream *pool[2][STREAM_POOL]; /* by priority; made as they are asked for */
  int next[2];
};

} // namespace tocha

struct tocha_backend_state {
  int device_count;
  tocha::Device devices[TOCHA_MAX_DEVICES];
  tocha::Pinned *pinned;
  char message[1024];
};

namespace tocha {

/* A stream as this plug-in makes it. */
struct Stream : tocha_stream {
  cudaStream_t cuda() const { return static_cast<cudaStream_t>(handle); }
  Device &home() const { return state->devices[device]; }
  Stream *following; /* in the device's chain */
  Cache *cache;      /* its free memory; NULL: none yet */
};
inline Stream *own(tocha_stream *stream) { return static_cast<Stream *>(stream); }

/* Records a failure in words; false. */
__attribute__((format(printf, 2, 3))) bool fail(tocha_backend_state *state, const char *format,
                                                ...);
/* Whether a call of the CUDA runtime went well; else its words are recorded. */
bool check(tocha_backend_state *state, cudaError_t status);
/* What a launch answers: the error of the launch itself, and nothing about what runs. */
inline bool launched(tocha_stream *stream) { return check(stream->state, cudaGetLastError()); }
/* Whether no kernel reported an index out of range; else its words are recorded, once. Of all
 * devices. */
bool check_faults(tocha_backend_state *state);
/* Makes the device current for this host thread, and brings it up the first time. */
bool use_device(tocha_backend_state *state, int device);

} // namespace tocha
