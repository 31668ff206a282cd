// submission.cpp: checks the shape and the arguments of a launch on its way into a stream, so that
// a host pointer, freed memory or another device's memory is an error at the launch that names
// kernel and argument.
#include "activity.h"

#include <stdio.h>
#include <string.h>

namespace simulator {

struct KernelAttributes {
  size_t dynamic_shared_limit;
};
static std::map<const void *, KernelAttributes> &kernel_attributes() {
  static auto *table = new std::map<const void *, KernelAttributes>;
  return *table;
}

// Returns true if the launch's kernel is the one of TOCHA_SIMULATOR_PLANT. The name is spelled as
// in the argument of LAUNCH: "add", "(add<float, 4>)".
static bool is_planted(const char *kernel) {
  const char *wanted = machine().planted;
  if (!wanted || !*wanted) return false;
  const char *at = strstr(kernel, wanted);
  const char *past = at ? at + strlen(wanted) : nullptr;
  return at && (at == kernel || at[-1] == '(' || at[-1] == ':') &&
         (*past == '\0' || *past == '<' || *past == ')');
}

struct LaunchWork final : Work {
  std::unique_ptr<Launch> launch;
  void run() override {
    if (is_planted(launch->kernel)) {
      fault(cudaErrorIllegalAddress, "kernel %s: a planted fault", launch->kernel);
      return;
    }
    as_activity(
        {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, launch->device, launch->kernel, {}, {}, 0, 0},
        [this] { execute(*launch); });
    if (machine().broken) return;
    for (const Touch &touch : touched)
      if (!canaries_whole(*touch.allocation)) {
        fault(cudaErrorIllegalAddress,
              "kernel %s, some thread: wrote within 64 bytes before or 15 bytes past the end of an "
              "allocation of %zu bytes",
              launch->kernel, touch.allocation->size);
        return;
      }
  }
};

static bool shape_is_valid(const char *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                           size_t limit) {
  size_t threads = static_cast<size_t>(block.x) * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64) {
    refuse(cudaErrorInvalidConfiguration, "kernel %s: a block of (%u,%u,%u) threads", kernel,
           block.x, block.y, block.z);
    return false;
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 ||
      grid.z > 65535) {
    refuse(cudaErrorInvalidConfiguration, "kernel %s: a grid of (%u,%u,%u) blocks", kernel, grid.x,
           grid.y, grid.z);
    return false;
  }
  if (shared_bytes > limit) {
    refuse(cudaErrorInvalidValue,
           "kernel %s: %zu bytes of dynamic shared memory, above its limit of %zu", kernel,
           shared_bytes, limit);
    return false;
  }
  return true;
}

Submission::Submission(const char *kernel, const void *tag, dim3 grid, dim3 block,
                       size_t shared_bytes, cudaStream_t stream)
    : work_(nullptr), stream_(nullptr), valid_(false), kernel_(kernel), grid_(grid), block_(block),
      shared_bytes_(shared_bytes), shared_limit_(shared_static_limit) {
  machine_lock().lock(); // until this object is destroyed
  if (machine().broken) {
    result(machine().sticky);
    return;
  }
  auto attributes = kernel_attributes().find(tag);
  if (attributes != kernel_attributes().end())
    shared_limit_ = attributes->second.dynamic_shared_limit;
  stream_ = stream_of(stream);
  if (!stream_) {
    refuse(cudaErrorInvalidResourceHandle, "kernel %s: not a stream, or destroyed", kernel);
    return;
  }
  if (stream_->device != current_device()) {
    refuse(cudaErrorInvalidResourceHandle,
           "kernel %s: launched into a stream of device %d while device %d is current", kernel,
           stream_->device, current_device());
    return;
  }
  valid_ = shape_is_valid(kernel, grid, block, shared_bytes, shared_limit_);
  if (valid_) work_ = new LaunchWork;
}

Submission::~Submission() {
  delete work_;
  machine_lock().unlock();
}

uintptr_t Submission::pointer(uintptr_t address, bool writes) {
  if (address & read_only_mark) {
    address &= ~read_only_mark;
    writes = false;
  }
  if (!valid_ || !address) return address;
  Allocation *a = find_allocation(address);
  if (!a && !is_device_address(address) && !is_pinned_address(address)) {
    fault(cudaErrorIllegalAddress, "kernel %s: argument %d is a pointer to host memory", kernel_,
          index_);
    valid_ = false;
    return address;
  }
  if (!a || a->freed || address < a->address || address > a->address + round_up(a->size, 16)) {
    fault(cudaErrorIllegalAddress, "kernel %s: argument %d points %s", kernel_, index_,
          describe_address(address).c_str());
    valid_ = false;
    return address;
  }
  const std::string problem = use_problem(*a, address, 1, stream_->device);
  if (!problem.empty()) {
    fault(cudaErrorIllegalAddress, "kernel %s: argument %d is %s", kernel_, index_,
          problem.c_str());
    valid_ = false;
    return address;
  }
  work_->touched.push_back(touch_of(a, address, writes));
  return a->device >= 0 ? address + device_delta : address;
}

// Translates device pointers anywhere in a structure. Only words that point into an allocation
// count, because others may be remains in a gap between members. If such a word was a pointer, its
// access faults, and the report says what it points to.
void Submission::structure(void *bytes, size_t size) {
  char *words = static_cast<char *>(bytes);
  for (size_t at = 0; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
    uintptr_t word;
    memcpy(&word, words + at, sizeof word);
    uintptr_t address = word & ~read_only_mark;
    if (!is_device_address(address)) continue;
    const Allocation *a = find_allocation(address);
    const bool lacks = !a || a->freed || (a->is_range() && !is_open(*a, address, 1, pinned_memory));
    if (!(word & read_only_mark) && lacks) continue;
    word = pointer(word, true);
    memcpy(words + at, &word, sizeof word);
  }
}

void Submission::commit(Launch *launch) {
  std::unique_ptr<Launch> owner(launch);
  if (!valid_) return;
  launch->kernel = kernel_;
  launch->grid = grid_;
  launch->block = block_;
  launch->shared_bytes = shared_bytes_;
  launch->shared_limit = shared_limit_;
  launch->device = stream_->device;
  static_cast<LaunchWork *>(work_)->launch = std::move(owner);
  Work *work = work_;
  work_ = nullptr;
  result(submit(stream_, work, kernel_));
}

void use_device_pointer(uintptr_t address) {
  Allocation *a = find_allocation(address);
  if (a && !a->freed && address >= a->address) return;
  static char where[200]; // not a string, because kernel_fault does not return to destroy it
  snprintf(where, sizeof where, "%s", describe_address(address).c_str());
  kernel_fault(cudaErrorIllegalAddress, "a pointer loaded from memory points %s", where);
}

cudaError_t set_kernel_attribute(const void *tag, cudaFuncAttribute attribute, int value) {
  Lock lock;
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return result(cudaSuccess);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      static_cast<size_t>(value) > shared_optin_limit)
    return result(cudaErrorInvalidValue);
  size_t limit = static_cast<size_t>(value);
  kernel_attributes()[tag].dynamic_shared_limit =
      limit < shared_static_limit ? shared_static_limit : limit;
  return result(cudaSuccess);
}

// Computes the occupancy from the limits of a GPU of compute capability 8.0, as far as the
// simulator knows them (not registers).
cudaError_t occupancy(int *blocks, int threads, size_t shared_bytes) {
  Lock lock;
  if (!blocks || threads <= 0 || threads > 1024) return result(cudaErrorInvalidValue);
  int by_threads = 2048 / static_cast<int>(round_up(static_cast<size_t>(threads), 32));
  int by_shared =
      shared_bytes ? static_cast<int>((shared_optin_limit + 1024) / (shared_bytes + 1024)) : 32;
  *blocks = by_threads < by_shared ? by_threads : by_shared;
  if (*blocks > 32) *blocks = 32;
  return result(cudaSuccess);
}

} // namespace simulator
