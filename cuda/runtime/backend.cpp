/* backend.cpp: the plug-in's entry: devices, streams, synchronization, copies. */
#include "runtime/allocator.h"
#include "dnn/dnn.h"
#include "dnn/library.h"
#include "linalg/solver.h"
#include "matmul/blas.h"
#include "matmul/blas_library.h"
#include "runtime/events.h"
#include "runtime/graph.h"
#include "runtime/pinned.h"
#include "runtime/pools.h"
#include "runtime/settings.h"
#include "runtime/watch.h"

#include <cstdlib>
#include <cstring>
#include <new>

#ifndef TOCHA_ARCHITECTURES
#define TOCHA_ARCHITECTURES "" /* "sm_80 sm_90 compute_90": the architectures of the build */
#endif

namespace tocha {

bool fail(tocha_backend_state *state, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(state->message, sizeof state->message, format, arguments);
  va_end(arguments);
  return false;
}

#ifdef TOCHA_SIMULATED
extern "C" const char *tocha_simulator_fault(void);
static const char *details() { return tocha_simulator_fault(); }
#else
static const char *details() { return nullptr; }
#endif

bool check(tocha_backend_state *state, cudaError_t status) {
  if (status == cudaSuccess) return true;
  cudaGetLastError(); /* clears the error, which the next launch would report otherwise */
  const bool in_capture = state->capture && end_failed_capture(state, status);
  const char *more = in_capture ? nullptr : details();
  return fail(state, "CUDA error: %s%s%s", cudaGetErrorString(status), more && *more ? ": " : "",
              more ? more : "");
}

extern const struct tocha_tensor_kernels tensor_kernels;
extern const struct ::tocha_pointwise_kernels pointwise_kernels;
extern const struct ::tocha_random_kernels random_kernels;
extern const struct ::tocha_creation_kernels creation_kernels;
extern const struct ::tocha_shape_kernels shape_kernels;
extern const struct ::tocha_indexing_kernels indexing_kernels;
extern const struct ::tocha_reduction_kernels reduction_kernels;
extern const struct ::tocha_scan_kernels scan_kernels;
extern const struct ::tocha_sorting_kernels sorting_kernels;
extern const struct ::tocha_normalization_kernels normalization_kernels;
extern const struct ::tocha_matmul_kernels matmul_kernels;
extern const struct ::tocha_convolution_kernels convolution_kernels;
extern const struct ::tocha_pooling_kernels pooling_kernels;
extern const struct ::tocha_resampling_kernels resampling_kernels;
extern const struct ::tocha_recurrent_kernels recurrent_kernels;
extern const struct ::tocha_attention_kernels attention_kernels;
extern const struct ::tocha_loss_kernels loss_kernels;
extern const struct ::tocha_optim_kernels optim_kernels;
extern const struct ::tocha_amp_kernels amp_kernels;
extern const struct ::tocha_linalg_kernels linalg_kernels;

static bool solves(tocha_stream *stream) {
  return use_device(stream->state, stream->device) && has_solver(own(stream));
}

static const tocha_kernels kernels = {
    &tensor_kernels,        &pointwise_kernels,  &random_kernels,
    &creation_kernels,      &shape_kernels,      &indexing_kernels,
    &reduction_kernels,     &scan_kernels,       &sorting_kernels,
    &normalization_kernels, &matmul_kernels,     &convolution_kernels,
    &pooling_kernels,       &resampling_kernels, &recurrent_kernels,
    &attention_kernels,     &loss_kernels,       &optim_kernels,
    &amp_kernels,           &linalg_kernels,     solves};

/* --- opening and closing ---------------------------------------------------------------------- */

static tocha_backend_state *open_state(const char **reason) {
  static char words[256];
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count < 1) {
    snprintf(words, sizeof words, "%s",
             status == cudaSuccess ? "no CUDA-capable device is detected"
                                   : cudaGetErrorString(status));
    cudaGetLastError();
    *reason = words;
    return nullptr;
  }
  auto *state = new (std::nothrow) tocha_backend_state();
  if (!state) {
    *reason = "memory is exhausted";
    return nullptr;
  }
  Settings settings;
  if (read_settings(settings_of_environment(), &settings, words, sizeof words))
    *reason = warning_of(settings);
  state->device_count = count < TOCHA_MAX_DEVICES ? count : TOCHA_MAX_DEVICES;
  return state;
}

static bool init_device(tocha_backend_state *state, int device) {
  Device &d = state->devices[device];
  if (!check(state, cudaGetDeviceProperties(&d.properties, device)) ||
      !check(state, cudaHostAlloc(reinterpret_cast<void **>(&d.fault), sizeof(Fault),
                                  cudaHostAllocMapped)))
    return false;
  memset(static_cast<void *>(d.fault), 0, sizeof(Fault));
  Settings settings;
  char problem[256];
  if (!read_settings(settings_of_environment(), &settings, problem, sizeof problem))
    return fail(state, "%s", problem);
  d.allocator = new_allocator(state, device, settings);
  d.ready = d.allocator != nullptr;
  return d.ready || fail(state, "memory is exhausted");
}

bool use_device(tocha_backend_state *state, int device) {
  int current = -1;
  if (cudaGetDevice(&current) != cudaSuccess || current != device)
    if (!check(state, cudaSetDevice(device))) return false;
  return state->devices[device].ready || init_device(state, device);
}

/* Returns true if the stream's cudaStream_t belongs to somebody else. */
static bool is_foreign(const tocha_backend_state *state, const tocha_stream *stream) {
  if (!state->watch) return false;
  for (const tocha_stream *foreign : state->watch->foreign)
    if (foreign == stream) return true;
  return false;
}

static void close_state(tocha_backend_state *state) {
  for (int i = 0; i < state->device_count; i++)
    if (state->devices[i].ready && cudaSetDevice(i) == cudaSuccess) cudaDeviceSynchronize();
  close_pinned(state);
  for (int i = 0; i < state->device_count; i++) {
    Device &d = state->devices[i];
    if (!d.ready) continue;
    cudaSetDevice(i);
    delete_blas(d.blas);
    delete_dnn(d.dnn);
    delete_solver(d.solver);
    delete_allocator(d.allocator);
    for (tocha_stream *q = d.streams; q;) {
      tocha_stream *following = own(q)->following;
      if (!is_foreign(state, q)) cudaStreamDestroy(own(q)->cuda());
      delete own(q);
      q = following;
    }
    cudaFreeHost(d.fault);
  }
  delete state->watch;
  free(state->lost);
  cudaGetLastError();
  delete state;
}

static const char *message(tocha_backend_state *state) { return state->message; }
static int device_count(tocha_backend_state *state) { return state->device_count; }

static bool properties(tocha_backend_state *state, int device, tocha_device_properties *answer) {
  if (!use_device(state, device)) return false;
  const cudaDeviceProp &p = state->devices[device].properties;
  snprintf(answer->name, sizeof answer->name, "%s", p.name);
  answer->major = p.major;
  answer->minor = p.minor;
  answer->total_memory = p.totalGlobalMem;
  answer->processors = p.multiProcessorCount;
  answer->threads_per_processor = p.maxThreadsPerMultiProcessor;
  answer->warp_size = p.warpSize;
  answer->shared_memory_per_block = p.sharedMemPerBlock;
  answer->l2_bytes = p.l2CacheSize;
  snprintf(answer->architectures, sizeof answer->architectures, "%s", TOCHA_ARCHITECTURES);
  return true;
}

/* --- streams ----------------------------------------------------------------------------------- */

/* Adds a CUDA stream to those of a device. Returns nullptr if memory of the host is short. */
static Stream *add_stream(tocha_backend_state *state, int device, cudaStream_t stream) {
  auto *q = new (std::nothrow) Stream();
  if (!q) return fail(state, "memory is exhausted"), nullptr;
  q->kernels = &kernels;
  q->backend = &backend;
  q->state = state;
  q->device = device;
  q->handle = stream;
  Device &d = state->devices[device];
  if (d.streams) {
    q->following = own(own(d.streams)->following);
    own(d.streams)->following = q;
  } else {
    d.streams = q;
  }
  return q;
}

static Stream *make_stream(tocha_backend_state *state, int device, int priority) {
  if (!use_device(state, device)) return nullptr;
  cudaStream_t stream;
  if (!check(state, cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority)))
    return nullptr;
  Stream *q = add_stream(state, device, stream);
  if (!q) cudaStreamDestroy(stream);
  return q;
}

static tocha_stream *default_stream(tocha_backend_state *state, int device) {
  tocha_stream *first = state->devices[device].streams;
  return first ? first : make_stream(state, device, 0);
}

tocha_stream *external_stream(tocha_backend_state *state, int device, void *handle) {
  tocha_stream *first = default_stream(state, device);
  if (!first || !handle) return first;
  for (tocha_stream *q = first; q; q = own(q)->following)
    if (q->handle == handle) return q;
  Watch *watch = watch_of(state);
  if (!watch) return fail(state, "memory is exhausted"), nullptr;
  Stream *q = add_stream(state, device, static_cast<cudaStream_t>(handle));
  if (q) watch->foreign.push_back(q);
  return q;
}

/* Returns a stream from a pool, in turn, as PyTorch does. */
static tocha_stream *new_stream(tocha_backend_state *state, int device, int priority) {
  if (!default_stream(state, device)) return nullptr;
  Device &d = state->devices[device];
  int high = priority < 0;
  tocha_stream *&slot = d.pool[high][d.next[high]++ % STREAM_POOL];
  if (!slot) slot = make_stream(state, device, high ? -1 : 0);
  return slot;
}

/* Fails with the index that a kernel reported, once. */
static bool check_fault(tocha_backend_state *state, int device) {
  Fault *fault = state->devices[device].fault;
  if (!fault || !fault->reported) return true;
  Fault seen = *fault;
  memset(static_cast<void *>(fault), 0, sizeof *fault);
  if (seen.dim == FAULT_IN_WORDS) return fail(state, "%s", seen.op);
  if (seen.dim >= 0)
    return fail(state, "%s(): index %lld is out of bounds for dimension %d with size %lld", seen.op,
                seen.index, seen.dim, seen.size);
  return fail(state, "%s(): index %lld is out of bounds: it must be below %lld and not below %lld",
              seen.op, seen.index, seen.size, -seen.size);
}

bool check_faults(tocha_backend_state *state) {
  for (int i = 0; i < state->device_count; i++)
    if (!check_fault(state, i)) return false;
  return true;
}

static void lose(tocha_backend_state *state, const char *why) {
  free(state->lost.exchange(why ? strdup(why) : nullptr));
}

bool check_lost(tocha_backend_state *state) {
  if (!state->lost.load(std::memory_order_relaxed)) return true;
  char *why = state->lost.exchange(nullptr);
  if (why) fail(state, "%s", why);
  free(why);
  return !why;
}

static bool synchronize(tocha_backend_state *state, int device, tocha_stream *stream) {
  if (!use_device(state, device)) return false;
  cudaError_t status =
      stream ? cudaStreamSynchronize(own(stream)->cuda()) : cudaDeviceSynchronize();
  return check(state, status) && check_lost(state) && check_fault(state, device);
}

static int query(tocha_stream *stream) {
  cudaError_t status = cudaStreamQuery(own(stream)->cuda());
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return 0;
  }
  return check(stream->state, status) ? 1 : -1;
}

/* --- memory ----------------------------------------------------------------------------------- */

static tocha_block *allocate_on(tocha_stream *stream, size_t bytes, bool *exhausted) {
  return allocate(own(stream)->home().allocator, own(stream), bytes, exhausted);
}

static void use_on(tocha_stream *stream, tocha_block *block) { use_on_stream(own(stream), block); }

static void flush(tocha_backend_state *state, int device) {
  if (state->devices[device].ready && use_device(state, device))
    empty_cache(state->devices[device].allocator);
}

static bool memory(tocha_backend_state *state, int device, tocha_device_memory *answer) {
  memset(answer, 0, sizeof *answer);
  if (!use_device(state, device)) return false;
  statistics(state->devices[device].allocator, answer);
  return true;
}

static bool memory_info(tocha_backend_state *state, int device, size_t *free, size_t *capacity) {
  return use_device(state, device) && check(state, cudaMemGetInfo(free, capacity));
}

static void reset_peak(tocha_backend_state *state, int device) {
  if (!state->devices[device].ready) return;
  Allocator *a = state->devices[device].allocator;
  statistics_of(a).reset_peaks();
  reset_peaks(pools_of(a));
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Makes later work in `after` wait for all earlier work in `before`. */
static bool order(tocha_stream *before, tocha_stream *after) {
  cudaEvent_t event = event_after(own(before));
  if (!event) return true; /* `before` was already waited for */
  bool ok = check(before->state, cudaStreamWaitEvent(own(after)->cuda(), event, 0));
  cudaEventDestroy(event);
  return ok;
}

/* Lets the current device read and write the memory of another, if that is possible, on the
 * first call. Called at the first copy between the two, because it creates a context on the
 * other device. */
static void enable_peer(tocha_backend_state *state, int device, int other) {
  unsigned &asked = state->devices[device].peers;
  if (asked & 1u << other) return;
  asked |= 1u << other;
  int reaches = 0;
  if (cudaDeviceCanAccessPeer(&reaches, device, other) == cudaSuccess && reaches) {
    cudaDeviceEnablePeerAccess(other, 0);
    if (state->devices[other].ready) open_to_peer(state->devices[other].allocator, device);
  }
  cudaGetLastError(); /* if it failed, the driver copies through the host */
}

static bool copy_between_devices(tocha_stream *stream, void *to, int to_device, const void *from,
                                 int from_device, size_t bytes) {
  tocha_backend_state *state = stream->state;
  int other = stream->device == to_device ? from_device : to_device;
  enable_peer(state, stream->device, other);
  return check(state,
               cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, own(stream)->cuda()));
}

enum { MAX_STAGED = 1 << 16 };

/* Copies at most MAX_STAGED bytes of pageable memory, which may change as soon as this returns: through
 * pinned memory, so that the host does not wait for the stream. */
static bool copy_staged(tocha_stream *stream, void *to, const void *from, size_t bytes) {
  tocha_backend_state *state = stream->state;
  void *staged = allocate_pinned(state, bytes);
  if (!staged || !use_device(state, stream->device)) return false;
  memcpy(staged, from, bytes);
  bool done =
      note_pinned(state, staged, own(stream)) &&
      check(state, cudaMemcpyAsync(to, staged, bytes, cudaMemcpyHostToDevice, own(stream)->cuda()));
  release_pinned(state, staged);
  return done;
}

static bool copy(tocha_stream *stream, void *to, int to_device, const void *from, int from_device,
                 size_t bytes, bool blocking) {
  tocha_backend_state *state = stream->state;
  cudaStream_t cuda = own(stream)->cuda();
  if (!use_device(state, stream->device)) return false;
  if (to_device != TOCHA_HOST && from_device != TOCHA_HOST)
    return copy_between_devices(stream, to, to_device, from, from_device, bytes);
  cudaMemcpyKind kind = to_device == TOCHA_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
  const void *host = to_device == TOCHA_HOST ? to : from;
  bool pinned = note_pinned(state, host, own(stream));
  if (!pinned && is_captured(own(stream))) return check(state, cudaErrorStreamCaptureUnsupported);
  if (to_device != TOCHA_HOST && !pinned && bytes <= MAX_STAGED)
    return copy_staged(stream, to, from, bytes);
  if (!check(state, cudaMemcpyAsync(to, from, bytes, kind, cuda))) return false;
  /* The driver does not promise to have staged pageable memory of the host on return, and a GPU
   * that reads such memory itself does not stage it. */
  bool waits = blocking || !pinned;
  return !waits || synchronize(state, stream->device, stream);
}

static bool is_pinned(tocha_backend_state *state, const void *data) {
  return note_pinned(state, data, nullptr);
}

static bool copies_directly(tocha_backend_state *state, int from, int to) {
  int reaches = 0;
  return check(state, cudaDeviceCanAccessPeer(&reaches, from, to)) && reaches;
}

static bool library(tocha_device_library which, tocha_library_info *answer) {
  const char *file = "";
  const BlasLibrary *blas = which == TOCHA_CUBLAS ? blas_library(&file) : nullptr;
  const DnnLibrary *dnn = which == TOCHA_CUDNN ? dnn_library(&file) : nullptr;
  const SolverLibrary *solver = which == TOCHA_CUSOLVER ? solver_library(&file) : nullptr;
  snprintf(answer->file, sizeof answer->file, "%s", file);
  answer->version = blas     ? blas_version(blas)
                    : dnn    ? static_cast<int>(dnn->cudnnGetVersion_())
                    : solver ? solver_version(solver)
                             : 0;
  return blas || dnn || solver;
}

const tocha_backend backend = {
    TOCHA_BACKEND_VERSION,
#ifdef TOCHA_SIMULATED
    "cuda (simulated)",
#else
    "cuda",
#endif
    open_state,
    close_state,
    message,
    device_count,
    properties,
    default_stream,
    new_stream,
    synchronize,
    query,
    lose,
    new_event,
    free_event,
    record_event,
    wait_event,
    synchronize_event,
    query_event,
    elapsed,
    allocate_on,
    release,
    use_on,
    flush,
    memory,
    memory_info,
    reset_peak,
    &instruments,
    allocate_pinned,
    release_pinned,
    is_pinned,
    copy,
    copies_directly,
    order,
    new_graph,
    free_graph,
    capture_begin,
    capture_end,
    instantiate,
    replay,
    reset_graph,
    debug_graph,
    dump_graph,
    is_capturing,
    forget_generator,
    new_pool,
    hold_pool,
    use_pool,
    configure_pool,
    users_of_pool,
    library,
};

} // namespace tocha

extern "C" __attribute__((visibility("default"))) const tocha_backend *tocha_backend_entry(void) {
  return &tocha::backend;
}
