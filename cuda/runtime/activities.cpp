/* activities.cpp: see activities.h. With the simulated GPU, its own CUPTI is linked. */
#include "runtime/activities.h"
#include "runtime/cupti_api.h"
#include "runtime/library.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace tocha {

namespace {
struct Cupti {
#define CUPTI(name) decltype(&::name) name = nullptr;
#include "runtime/cupti_functions.def"
  bool there;
  Cupti() : there(load()) {}
  bool load();
};

struct Activity {
  std::string name;
  int device;
  uint64_t start, end; /* nanoseconds by CUPTI's clock */
};

/* The collection of this process. CUPTI hands buffers over in a thread of its own. */
struct Collection {
  std::mutex lock;
  bool on = false;
  uint64_t since = 0;
  std::vector<Activity> activities;
};
} // namespace

constexpr size_t BUFFER_BYTES = 1 << 20, MAX_ACTIVITIES = 4000000;
static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

#ifdef TOCHA_SIMULATED

bool Cupti::load() {
#define CUPTI(name) this->name = &::name;
#include "runtime/cupti_functions.def"
  return true;
}

#else

bool Cupti::load() {
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12",
                                      "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", nullptr};
  char file[512];
  void *opened = open_library(names, file, sizeof file);
  bool complete = opened != nullptr;
#define CUPTI(name) complete = complete && find(opened, #name, &this->name);
#include "runtime/cupti_functions.def"
  return complete;
}

#endif

static const Cupti &cupti() {
  static const Cupti opened;
  return opened;
}

static Collection &collection() {
  static auto *c = new Collection; /* never freed: CUPTI's thread may outlive static objects */
  return *c;
}

static const char *memory_name(uint8_t kind) {
  switch (kind) {
  case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
    return "Pageable";
  case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
    return "Pinned";
  case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    return "Device";
  case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    return "Managed";
  default:
    return "Unknown";
  }
}

static const char *direction(uint8_t kind) {
  switch (kind) {
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    return "HtoD";
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    return "DtoH";
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    return "DtoD";
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
    return "HtoH";
  case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
    return "PtoP";
  default:
    return "Unknown";
  }
}

/* Names a copy as PyTorch does. */
static std::string name_of_copy(const CUpti_ActivityMemcpy &copy) {
  char name[64];
  snprintf(name, sizeof name, "Memcpy %s (%s -> %s)", direction(copy.copyKind),
           memory_name(copy.srcKind), memory_name(copy.dstKind));
  return name;
}

static std::string name_of_kernel(const char *symbol) {
  if (!symbol) return "kernel";
  int status = 0;
  char *plain = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = plain ? plain : symbol;
  free(plain);
  return name;
}

static Activity activity_of(const CUpti_Activity *record) {
  switch (record->kind) {
  case CUPTI_ACTIVITY_KIND_MEMCPY: {
    auto &copy = *reinterpret_cast<const CUpti_ActivityMemcpy *>(record);
    return {name_of_copy(copy), static_cast<int>(copy.deviceId), copy.start, copy.end};
  }
  case CUPTI_ACTIVITY_KIND_MEMSET: {
    auto &fill = *reinterpret_cast<const CUpti_ActivityMemset *>(record);
    return {"Memset (Device)", static_cast<int>(fill.deviceId), fill.start, fill.end};
  }
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
    auto &kernel = *reinterpret_cast<const CUpti_ActivityKernel *>(record);
    return {name_of_kernel(kernel.name), static_cast<int>(kernel.deviceId), kernel.start,
            kernel.end};
  }
  default:
    return {"", -1, 0, 0};
  }
}

static void request_buffer(uint8_t **buffer, size_t *size, size_t *records) {
  *buffer = static_cast<uint8_t *>(aligned_alloc(8, BUFFER_BYTES));
  *size = *buffer ? BUFFER_BYTES : 0;
  *records = 0;
}

/* Keeps the activities of a full buffer. Those for which memory is short are lost. */
static void take_buffer(struct CUctx_st *, uint32_t, uint8_t *buffer, size_t, size_t valid_size) {
  Collection &c = collection();
  std::lock_guard<std::mutex> guard(c.lock);
  CUpti_Activity *record = nullptr;
  try {
    while (buffer && c.on && c.activities.size() < MAX_ACTIVITIES &&
           cupti().cuptiActivityGetNextRecord(buffer, valid_size, &record) == CUPTI_SUCCESS) {
      Activity activity = activity_of(record);
      bool is_timed = activity.device >= 0 && activity.start >= c.since && activity.end > 0;
      if (is_timed) c.activities.push_back(std::move(activity));
    }
  } catch (const std::bad_alloc &) {
  }
  free(buffer);
}

static void disable(size_t count) {
  for (size_t i = 0; i < count; i++) cupti().cuptiActivityDisable(kinds[i]);
}

/* Turns all kinds on, or none. */
static bool enable() {
  constexpr size_t count = sizeof kinds / sizeof *kinds;
  for (size_t i = 0; i < count; i++)
    if (cupti().cuptiActivityEnable(kinds[i]) != CUPTI_SUCCESS) return (disable(i), false);
  return true;
}

bool start_activities() {
  if (!cupti().there) return false;
  Collection &c = collection();
  {
    std::lock_guard<std::mutex> guard(c.lock);
    if (c.on) return false;
    if (cupti().cuptiGetTimestamp(&c.since) != CUPTI_SUCCESS) return false;
    c.on = true;
  }
  if (cupti().cuptiActivityRegisterCallbacks(request_buffer, take_buffer) == CUPTI_SUCCESS &&
      enable())
    return true;
  std::lock_guard<std::mutex> guard(c.lock);
  c.on = false;
  return false;
}

void stop_activities(void (*visit)(void *user, const tocha_gpu_activity *activity), void *user) {
  Collection &c = collection();
  cupti().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  disable(sizeof kinds / sizeof *kinds);
  std::vector<Activity> activities;
  {
    std::lock_guard<std::mutex> guard(c.lock);
    activities.swap(c.activities);
    c.on = false;
  }
  for (const Activity &a : activities) {
    tocha_gpu_activity seen = {a.name.c_str(), a.device,
                               1e-9 * static_cast<double>(a.start - c.since),
                               1e-9 * static_cast<double>(a.end - a.start)};
    if (visit) visit(user, &seen);
  }
}

} // namespace tocha
