/* dnn.cpp: the plans of convolutions by cuDNN, which are kept, because asking cuDNN takes longer than most convolutions. */
#include "dnn/dnn.h"

#include <cfloat>
#include <cstring>
#include <new>

#include "dnn/graph.h"
#include "runtime/allocator.h"
#include "runtime/graph.h"

namespace tocha {
namespace {

/* SETS sets of WAYS plans by the hash of their keys; the oldest plan of a set makes room. A training step of a large network has
 * some 100 to 300 different convolutions. WORKSPACE_LIMIT: bytes that a plan may work in. */
enum { SETS = 256, WAYS = 4 };
const int64_t WORKSPACE_LIMIT = 1LL << 30;

/* The plan of one key. engines: those not tried yet, from `following` on; deleted after the first success. refused: cuDNN has no
 * plan. */
struct Entry {
  ConvolutionKey key;
  uint64_t used; /* when; 0: the entry is empty */
  bool refused, settled;
  DnnPlan plan;
  Engines *engines;
  int following;
};

} // namespace

struct Dnn {
  const DnnLibrary *library;
  cudnnHandle_t handle;
  Stream *stream; /* set in the handle */
  uint64_t clock;
  Entry *last; /* used last; NULL: none */
  Entry entries[SETS][WAYS];
};

/* --- handles ---------------------------------------------------------------------------------- */

/* Returns the device's state, or nullptr if cuDNN is not there. */
static Dnn *dnn_of(Stream *stream) {
  Device &device = stream->home();
  if (device.dnn) return device.dnn->handle ? device.dnn : nullptr;
  Dnn *dnn = new (std::nothrow) Dnn();
  if (!dnn) return nullptr;
  device.dnn = dnn;
  const char *file = "";
  dnn->library = dnn_library(&file);
  const Relaxed relaxed; /* a capture permits it: the handle's memory is no stream's */
  if (!dnn->library || dnn->library->cudnnCreate_(&dnn->handle) != CUDNN_STATUS_SUCCESS)
    dnn->handle = nullptr;
  return dnn->handle ? dnn : nullptr;
}

static void clear(Entry *entry) {
  delete entry->engines;
  *entry = Entry();
}

void delete_dnn(Dnn *dnn) {
  if (!dnn) return;
  for (auto &set : dnn->entries)
    for (Entry &entry : set) clear(&entry);
  if (dnn->handle) dnn->library->cudnnDestroy_(dnn->handle);
  delete dnn;
}

static bool bind(Dnn *dnn, Stream *stream) {
  if (dnn->stream == stream) return true;
  dnn->stream = nullptr;
  if (dnn->library->cudnnSetStream_(dnn->handle, stream->cuda()) != CUDNN_STATUS_SUCCESS)
    return false;
  dnn->stream = stream;
  return true;
}

/* --- plans ------------------------------------------------------------------------------------ */

/* Replaces the plan by that of the next engine that cuDNN accepts. Returns false if none is left. */
static bool next_plan(Dnn *dnn, Entry *entry) {
  entry->plan = DnnPlan();
  const Relaxed relaxed; /* a plan may load kernels */
  while (entry->engines && entry->following < entry->engines->count)
    if (make_plan(dnn->library, dnn->handle, entry->engines->choices[entry->following++],
                  WORKSPACE_LIMIT, &entry->plan))
      return true;
  delete entry->engines;
  entry->engines = nullptr;
  entry->refused = true;
  return false;
}

static void fill(Dnn *dnn, Entry *entry, const ConvolutionKey &key) {
  clear(entry);
  entry->key = key;
  entry->engines = new (std::nothrow) Engines();
  if (entry->engines)
    find_engines(dnn->library, new_graph(dnn->library, dnn->handle, key), key, entry->engines);
  next_plan(dnn, entry);
}

static Entry *entry_of(Dnn *dnn, const ConvolutionKey &key) {
  Entry *last = dnn->last; /* a convolution asks if it is taken before it runs */
  if (last && memcmp(&last->key, &key, sizeof key) == 0) return last;
  uint64_t hash = 0, word;
  for (size_t i = 0; i < sizeof key; i += sizeof word) {
    memcpy(&word, reinterpret_cast<const char *>(&key) + i, sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  Entry *set = dnn->entries[hash % SETS], *oldest = set;
  for (Entry *entry = set; entry < set + WAYS; entry++) {
    if (entry->used && memcmp(&entry->key, &key, sizeof key) == 0) {
      entry->used = ++dnn->clock;
      return dnn->last = entry;
    }
    if (entry->used < oldest->used) oldest = entry;
  }
  fill(dnn, oldest, key);
  oldest->used = ++dnn->clock;
  return dnn->last = oldest;
}

/* Starts the entry's plan in memory of the allocator. */
static cudnnStatus_t execute(Dnn *dnn, Stream *stream, const DnnPlan &plan,
                             const tocha_convolution_args &args) {
  tocha_block *workspace = nullptr;
  if (plan.workspace > 0) {
    bool exhausted = false;
    workspace =
        allocate(stream->home().allocator, stream, static_cast<size_t>(plan.workspace), &exhausted);
    if (!workspace) return CUDNN_STATUS_NOT_SUPPORTED;
  }
  cudnnStatus_t status =
      execute_plan(dnn->library, dnn->handle, plan, args, workspace ? workspace->data : nullptr);
  if (workspace) release(workspace);
  return status;
}

/* --- benchmark -------------------------------------------------------------------------------- */

/* Returns the milliseconds of the second of two runs, or FLT_MAX if the plan fails. */
static float measure(Dnn *dnn, Stream *stream, const DnnPlan &plan,
                     const tocha_convolution_args &args, cudaEvent_t start, cudaEvent_t stop) {
  float milliseconds = FLT_MAX;
  bool ok = execute(dnn, stream, plan, args) == CUDNN_STATUS_SUCCESS &&
            cudaEventRecord(start, stream->cuda()) == cudaSuccess &&
            execute(dnn, stream, plan, args) == CUDNN_STATUS_SUCCESS &&
            cudaEventRecord(stop, stream->cuda()) == cudaSuccess &&
            cudaEventSynchronize(stop) == cudaSuccess &&
            cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess;
  return ok ? milliseconds : FLT_MAX;
}

/* Keeps the fastest of the first plans. */
static void choose_fastest(Dnn *dnn, Stream *stream, Entry *entry,
                           const tocha_convolution_args &args) {
  cudaEvent_t start = nullptr, stop = nullptr;
  bool ready = cudaEventCreateWithFlags(&start, cudaEventDefault) == cudaSuccess &&
               cudaEventCreateWithFlags(&stop, cudaEventDefault) == cudaSuccess;
  DnnPlan best;
  float least = FLT_MAX;
  for (int64_t trial = 0; ready && trial < args.trials && !entry->refused; trial++) {
    float time = measure(dnn, stream, entry->plan, args, start, stop);
    if (time < least) {
      least = time;
      best = static_cast<DnnPlan &&>(entry->plan);
    }
    next_plan(dnn, entry);
  }
  if (start) cudaEventDestroy(start);
  if (stop) cudaEventDestroy(stop);
  if (least == FLT_MAX) return;
  entry->plan = static_cast<DnnPlan &&>(best);
  entry->refused = false;
}

/* --- convolutions ----------------------------------------------------------------------------- */

static bool fits(int64_t first, int64_t second, const int64_t *space) {
  int64_t limit = INT32_MAX;
  for (int64_t size : {first, second, space[0], space[1], space[2]}) {
    if (size < 1 || size > limit) return false;
    limit /= size;
  }
  return true;
}

/* Returns true if cuDNN may be asked for this convolution. A bias is added by itself, as PyTorch does. */
static bool is_candidate(const tocha_convolution_args &args) {
  bool fits_dtype =
      args.dtype == TOCHA_FLOAT32 || args.dtype == TOCHA_FLOAT16 || args.dtype == TOCHA_BFLOAT16;
  return args.cudnn && fits_dtype && args.task != TOCHA_CONVOLVE_BACK_BIAS && !args.bias &&
         fits(args.images, args.in_channels, args.windows.in) &&
         fits(args.images, args.out_channels, args.windows.out) &&
         fits(args.out_channels, args.in_channels, args.windows.kernel);
}

/* Keeps the plan, and forgets the engines that were not needed. */
static void settle(Entry *entry) {
  delete entry->engines;
  entry->engines = nullptr;
  entry->settled = true;
}

bool dnn_takes(Stream *stream, const tocha_convolution_args &args) {
  if (!is_candidate(args)) return false;
  Dnn *dnn = dnn_of(stream);
  return dnn && bind(dnn, stream) && !entry_of(dnn, key_of(args))->refused;
}

bool dnn_convolve(Stream *stream, const tocha_convolution_args &args) {
  Dnn *dnn = dnn_of(stream);
  if (!dnn || !bind(dnn, stream)) return fail(stream->state, "cuDNN is not there");
  Entry *entry = entry_of(dnn, key_of(args));
  bool measures = entry->key.measured && !entry->settled && !is_capturing(stream);
  if (measures) choose_fastest(dnn, stream, entry, args);
  cudnnStatus_t status = CUDNN_STATUS_NOT_SUPPORTED;
  while (!entry->refused) {
    status = execute(dnn, stream, entry->plan, args);
    if (status == CUDNN_STATUS_SUCCESS) break;
    if (refused_in_capture(stream)) return false;
    if (!next_plan(dnn, entry)) break;
  }
  if (status != CUDNN_STATUS_SUCCESS)
    return fail(stream->state, "cuDNN error: %s", dnn->library->cudnnGetErrorString_(status));
  if (measures || !entry->key.measured) settle(entry);
  return true;
}

} // namespace tocha
