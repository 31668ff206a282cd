// machine.h: declarations that the simulator's files share. Every function of the CUDA interface
// takes a single lock; with it held, one host thread at a time submits or runs work, so the code
// below needs no care for threads.
#ifndef TOCHA_SIMULATOR_MACHINE_H
#define TOCHA_SIMULATOR_MACHINE_H

#include "cuda_runtime_api.h"
#include "device_functions.h"
#include "launch.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define SIMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMULATOR_ASAN 1
#endif
#endif
#ifdef SIMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace simulator {

// The lock. A thread that waits for another rank lets go of it, however often it holds it.
class MachineLock {
public:
  void lock();
  void unlock();
  void rest(); // gives other threads a moment

private:
  std::recursive_mutex mutex;
};
MachineLock &machine_lock();
struct Lock {
  Lock() { machine_lock().lock(); }
  ~Lock() { machine_lock().unlock(); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
};

const size_t page_size = 4096;
const int max_devices = 16;
const size_t shared_static_limit = 48 * 1024;
const size_t shared_optin_limit = 163 * 1024;

static inline size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// --- order between streams (order.cpp) -----------------------------------------------------------
// A vector clock: for each stream, the number of the item up to which all items are known to be
// done.
struct Clock {
  std::vector<uint64_t> known;
  uint64_t of(unsigned stream) const { return stream < known.size() ? known[stream] : 0; }
  void set(unsigned stream, uint64_t number);
  void merge(const Clock &other);
};

struct Access {
  uintptr_t low, high;
  unsigned stream;
  uint64_t number;
  const char *name; // name of the kernel or call
  bool writes;
};

// --- memory (memory.cpp) -------------------------------------------------------------------------
const int pinned_memory = -1; // in place of a device: host memory from cudaHostAlloc

struct Allocation {
  uintptr_t address; // the address that the host sees
  size_t size;
  uintptr_t pages; // the address range that is open for it
  size_t pages_size;
  int device;
  bool freed;
  std::map<uintptr_t, size_t> blocks; // parts announced by a caching allocator
  std::vector<Access> accesses;       // accesses that may still be unordered with later work
  // Holds, for each unit of a reserved range, range_mapped and a bit per device that may use it. Empty for
  // ordinary allocations.
  std::vector<uint32_t> access = {};
  bool is_range() const { return !access.empty(); }
};
const size_t range_unit = size_t(2) << 20;
const uint32_t range_mapped = uint32_t(1) << 31;

// The memory that a launch or copy touches.
struct Touch {
  Allocation *allocation;
  uintptr_t low, high;
  bool writes;
};

void memory_open(); // reserves the address ranges; called once
void memory_reset(int device);
uintptr_t view(const void *pointer); // the position of the bytes of a device or host address
Allocation *
find_allocation(uintptr_t address); // live or freed; the allocation whose pages contain the address
bool is_device_address(uintptr_t address);
bool is_pinned_address(uintptr_t address);
uintptr_t host_address(uintptr_t address); // given an address of the bytes, else 0
int device_of(uintptr_t address);
std::string
describe_address(uintptr_t address); // "3 bytes past the end of an allocation of 40 bytes"
// Checks an access of [address, address + bytes) by `device` (pinned_memory: by the host, or by a
// copy engine, which may access all memory) and adds it to `touched`. Returns an empty string, or a
// description of the error. Plain host memory is neither checked nor added.
std::string check_range(uintptr_t address, size_t bytes, int device, bool writes,
                        std::vector<Touch> &touched);
// Returns true if the device (pinned_memory: a copy engine) may use all units of a range that the bytes lie
// in.
bool is_open(const Allocation &range, uintptr_t address, size_t bytes, int device);
// Returns a reason why a device may not use bytes of the allocation, or "".
std::string use_problem(const Allocation &allocation, uintptr_t address, size_t bytes, int device);
// Returns the whole block (see tocha_simulator_block) that contains the address.
Touch touch_of(Allocation *allocation, uintptr_t address, bool writes);
bool canaries_whole(const Allocation &allocation);
void *map_pages(size_t bytes); // reserves inaccessible pages, at no cost
bool open_pages(uintptr_t address, size_t bytes);
// For address_ranges.cpp: reserve addresses of a device (0: there are none left), open pages of them,
// which contain NaN, and close them.
uintptr_t reserve_addresses(int device, size_t bytes);
bool open_filled(uintptr_t address, size_t bytes);
void close_device_pages(uintptr_t address, size_t bytes);
void poison(uintptr_t address, size_t bytes);
void unpoison(uintptr_t address, size_t bytes);

// --- streams (streams.cpp) -----------------------------------------------------------------------
struct Dependency {
  unsigned stream;
  uint64_t number;
};

// One item of a stream: a launch, or a closure.
struct Work {
  virtual ~Work() {}
  virtual void run() = 0;
  // Goes on as far as possible once it is the head of its stream. Returns false if it waits for other ranks
  // (nccl.cpp) and cannot run yet.
  virtual bool advance() { return true; }
  uint64_t submitted = 0; // over all streams
  uint64_t number = 0;    // within its stream
  std::vector<Dependency> dependencies;
  std::vector<Touch> touched;
};

template <class Function> struct Closure final : Work {
  explicit Closure(Function f) : function(f) {}
  void run() override { function(); }
  Function function;
};
template <class Function> Work *make_work(Function function) {
  return new Closure<Function>(function);
}

// --- capture (capture.cpp, graphs.cpp) ------------------------------------------------------------
// A work item of a graph. after: numbers of earlier nodes that it depends on, beside the last one of
// its lane.
struct GraphNode {
  std::shared_ptr<Work> work;
  const char *name;
  unsigned lane; // number of the captured stream within its capture
  std::vector<size_t> after;
};

// A sequence of work that is being recorded. Streams that wait for its events take part.
struct Capture {
  cudaStreamCaptureMode mode;
  const void *thread; // the thread that began it
  CUstream_st *origin;
  CUgraph_st *graph;
  bool invalid, ended;
};

} // namespace simulator

struct CUgraph_st {
  int device;
  unsigned lanes;
  std::vector<simulator::GraphNode> nodes;
};

struct CUstream_st {
  int device;
  unsigned id; // index into machine().streams
  unsigned flags;
  int priority;
  bool is_null, destroyed;
  uint64_t last, done; // numbers of the items submitted and finished
  simulator::Clock clock;
  std::deque<std::unique_ptr<simulator::Work>> queue;
  std::shared_ptr<simulator::Capture> capture; // that it takes part in
  unsigned lane;                               // within the capture
  std::vector<size_t> frontier;                // nodes that its next one depends on
};

struct CUevent_st {
  int device;
  unsigned flags;
  bool recorded;
  simulator::Dependency at;
  simulator::Clock clock;
  std::shared_ptr<double> time;                // seconds, written when the record is reached
  std::shared_ptr<simulator::Capture> capture; // in which it was recorded last, or none
  std::vector<size_t> frontier;                // nodes that the event stands for
};

namespace simulator {

struct Device {
  size_t used = 0;
  CUstream_st *null_stream = nullptr;
  bool peers[max_devices] = {};
};

struct Machine {
  int device_count = 1;
  size_t capacity = 0; // bytes of memory of each device
  int minor = 0;       // of the capability, 8.0 or, with products of float8, 8.9
  bool descending = false;
  bool broken = false; // by a fault: every call returns `sticky` until cudaDeviceReset
  cudaError_t sticky = cudaSuccess;
  char fault[1024] = "";         // the message of the latest fault
  const char *planted = nullptr; // the name of a kernel that faults in every launch
  Device devices[max_devices];
  std::vector<CUstream_st *> streams; // all streams ever created
  std::set<CUevent_st *> events;
  std::vector<std::shared_ptr<Capture>> captures; // under way
  uint64_t submitted = 0;
  size_t queued = 0;
  Clock host;
};
Machine &machine();

// Returns the stream of a handle (NULL: the current device's default stream), or nullptr if the
// handle is stale.
CUstream_st *stream_of(cudaStream_t handle);
// Puts the work into the stream, after checking the order of its accesses. Takes the work.
cudaError_t submit(CUstream_st *stream, Work *work, const char *name);
void drain(CUstream_st *stream); // runs all of its work, and as much of others as that needs
void drain_device(int device);   // newest first; -1: all devices
void run_until(unsigned stream, uint64_t number);
bool run_toward(unsigned stream,
                uint64_t number); // does not wait for other ranks: false if it would
bool is_done(Dependency point);
cudaError_t wait_for(CUstream_st *stream); // drains the stream, and records that the host waited
void streams_reset(int device);

CUstream_st *new_stream(int device, unsigned flags, int priority);
CUevent_st *event_of(cudaEvent_t handle); // nullptr: not an event, or destroyed
cudaError_t unknown_stream(const char *call);
cudaError_t unknown_event(const char *call);

// Adds work to the graph that the stream's capture records. Takes the work.
cudaError_t record_work(CUstream_st *stream, std::shared_ptr<Work> work, const char *name);
// Refuses a call that a capture never permits: invalidates the stream's capture (nullptr: all of them).
cudaError_t refuse_in_capture(CUstream_st *stream, const char *call);
// Refuses a call that is unsafe while anything is captured, unless the calling thread is relaxed.
cudaError_t check_unsafe(const char *call);
cudaError_t record_captured_event(CUstream_st *stream, CUevent_st *event);
// Makes the stream depend on an event of a capture, which the stream joins.
cudaError_t wait_for_captured_event(CUstream_st *stream, const CUevent_st *event);
// Fails if the legacy default stream, which would wait for a capturing stream, is used.
cudaError_t check_implicit(const CUstream_st *stream);

bool check_order(CUstream_st *stream, Work *work, const char *name); // order.cpp

// --- execution (scheduler.cpp) -------------------------------------------------------------------
void execute(Launch &launch);
bool in_kernel();                  // returns true if this thread is running a kernel
[[noreturn]] void abandon();       // leaves the running kernel after a fault; does not return
uintptr_t fresh_running_stack();   // the top of the running fibre's stack, whose content is dropped
std::string current_thread_name(); // "kernel add, block (0,0,0), thread (5,0,0)"
[[noreturn]] void kernel_fault(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *check_shared(); // after a block: the name of an array written out of bounds, or nullptr
const char *shared_name_at(uintptr_t address, ptrdiff_t *past, size_t *size);
void begin_shared(size_t dynamic_bytes, size_t limit);

// --- errors (errors.cpp, device.cpp) -------------------------------------------------------------
cudaError_t fault(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));
cudaError_t result(cudaError_t error); // stores it for cudaGetLastError; sticky errors win
cudaError_t refuse(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3))); // not sticky; stores a description as well
int current_device();
void install_fault_handler(); // once, if TOCHA_SIMULATOR_FAULTS=1
void ready_thread_for_faults();
double seconds();

} // namespace simulator

#endif
