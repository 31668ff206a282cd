// cupti.cpp: CUPTI for the simulated GPU: records of kernels, copies and fills with the host's clock, kept until they are
// flushed. TOCHA_SIMULATOR_CUPTI=off: another tool uses CUPTI.
#include "activity.h"

#include <cstdlib>
#include <cstring>
#include <set>

namespace simulator {

static bool enabled[16]; // by kind
static std::vector<Activity> &pending() {
  static auto *records = new std::vector<Activity>;
  return *records;
}

void keep_activity(const Activity &activity) {
  if (enabled[activity.kind]) pending().push_back(activity);
}

static uint64_t nanoseconds(double time) { return static_cast<uint64_t>(1e9 * time); }

// Returns a kernel's name without the parentheses that LAUNCH needs around commas.
static const char *plain_name(const char *name) {
  static auto *names = new std::set<std::string>;
  size_t length = strlen(name);
  bool wrapped = length > 2 && name[0] == '(' && name[length - 1] == ')';
  return names->insert(wrapped ? std::string(name + 1, length - 2) : name).first->c_str();
}

template <class Record> static size_t put(uint8_t *at, const Record &record) {
  memcpy(at, &record, sizeof record);
  return sizeof record;
}

template <class Record> static Record timed(const Activity &a) {
  Record record = {};
  record.kind = a.kind;
  record.start = nanoseconds(a.start);
  record.end = nanoseconds(a.end);
  record.deviceId = static_cast<uint32_t>(a.device);
  return record;
}

// Returns the size of the record that is written at `at`.
static size_t write_record(uint8_t *at, const Activity &a) {
  if (a.kind == CUPTI_ACTIVITY_KIND_MEMSET) return put(at, timed<CUpti_ActivityMemset>(a));
  if (a.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    auto copy = timed<CUpti_ActivityMemcpy>(a);
    copy.srcKind = a.source;
    copy.dstKind = a.target;
    bool to = a.target == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    bool from = a.source == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    copy.copyKind = to && from ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD
                    : to       ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
                    : from     ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
                               : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
    return put(at, copy);
  }
  auto kernel = timed<CUpti_ActivityKernel>(a);
  kernel.name = plain_name(a.kernel);
  return put(at, kernel);
}

static size_t size_of(const CUpti_Activity *record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) return sizeof(CUpti_ActivityMemset);
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) return sizeof(CUpti_ActivityMemcpy);
  return sizeof(CUpti_ActivityKernel);
}

} // namespace simulator

using namespace simulator;

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  Lock lock;
  request = requested;
  complete = completed;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  Lock lock;
  const char *wanted = getenv("TOCHA_SIMULATOR_CUPTI");
  if (wanted && strcmp(wanted, "off") == 0) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  enabled[kind] = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  Lock lock;
  enabled[kind] = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  Lock lock;
  std::vector<Activity> records;
  records.swap(pending());
  for (size_t i = 0; i < records.size();) {
    uint8_t *buffer = nullptr;
    size_t size = 0, limit = 0, used = 0;
    request(&buffer, &size, &limit);
    if (!buffer) return CUPTI_SUCCESS;
    while (i < records.size() && used + sizeof(CUpti_ActivityKernel) <= size)
      used += write_record(buffer + used, records[i++]);
    complete(nullptr, 0, buffer, size, used);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size,
                                       CUpti_Activity **record) {
  uint8_t *at = *record ? reinterpret_cast<uint8_t *>(*record) + size_of(*record) : buffer;
  if (at >= buffer + valid_size) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity *>(at);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *time) {
  *time = nanoseconds(seconds());
  return CUPTI_SUCCESS;
}
}
