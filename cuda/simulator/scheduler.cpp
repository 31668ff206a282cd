// scheduler.cpp: runs one launch. The threads of a block run one after the other in a plain loop on
// one fibre. A thread that meets a barrier or a warp operation parks on that fibre, and the loop
// continues on a fresh one. A kernel without barriers costs two switches per launch, whatever its
// size. Threads that have left the kernel do not count for barriers. If no thread is ready while
// some are still live, the threads have diverged, which is a fault.
#include "fibre.h"
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace simulator {

Execution execution;
uint64_t shared_epoch;

static const int max_threads = 1024;
static const int max_warps = max_threads / 32;

struct WarpState {
  unsigned exited, parked, ready; // lanes
};

struct Lane { // a thread that takes part in a warp operation
  Place place;
  WarpOperation operation;
  unsigned mask, source;
  uint64_t value, result;
};

static struct {
  uint3 ascending[max_threads], descending[max_threads];
  dim3 table_for;
  Fibre *home[max_threads]; // the fibre on which a parked thread waits
  Lane lanes[max_threads];
  WarpState warps[max_warps];
  unsigned ready_warps;
  unsigned living;
  unsigned waiting; // threads at the block's barrier
  unsigned at_barrier[max_warps];
  Place barrier_place;
  unsigned votes;
  uint64_t vote_result;
} block;

static Launch *current; // the running launch; nullptr outside of a launch
static Fibre host, *running;
// Never destroyed, because fibres are needed until the process ends; this is not a leak.
static std::vector<Fibre *> &every_fibre = *new std::vector<Fibre *>;
static std::vector<Fibre *> &free_fibres = *new std::vector<Fibre *>;
static uint64_t epoch; // counts launches
static bool finished;  // the launch has run to its end
static uint64_t block_index, block_total;

bool in_kernel() { return current != nullptr; }

static unsigned current_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

std::string current_thread_name() {
  char text[300];
  const char *name = current ? current->kernel : "?";
  size_t length = strlen(name);
  if (name[0] == '(' && name[length - 1] == ')')
    name++, length -= 2; // LAUNCH((add<float, 4>), ...)
  snprintf(text, sizeof text, "kernel %.*s, block (%u,%u,%u), thread (%u,%u,%u)",
           static_cast<int>(length), name, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
           threadIdx.y, threadIdx.z);
  return text;
}

void kernel_fault(cudaError_t error, const char *format, ...) {
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fault(error, "%s: %s", current_thread_name().c_str(), text);
  abandon();
}

void trap(const char *what) {
  if (!in_kernel()) __builtin_trap(); // host code called a device function
  kernel_fault(cudaErrorLaunchFailure, "stopped by %s", what);
}

void misaligned(int alignment) {
  if (!in_kernel()) __builtin_trap();
  kernel_fault(cudaErrorMisalignedAddress,
               "a vector access at an address that is no multiple of %d", alignment);
}

// --- fibres --------------------------------------------------------------------------------------
static void fibre_main() {
  Fibre *me = running;
  arrived_on_fibre(me);
  for (;;) {
    me->epoch = epoch;
    current->threads();
    // Either the launch is over, or it ended long ago and a later one has taken this fibre.
    if (me->epoch == epoch && finished) switch_fibre(me, &host, false);
  }
}

static Fibre *take_fibre() {
  if (free_fibres.empty()) {
    Fibre *fibre = make_fibre();
    if (!fibre) kernel_fault(cudaErrorLaunchOutOfResources, "no memory for a thread's stack");
    prepare_fibre(fibre, fibre_main);
    every_fibre.push_back(fibre);
    return fibre;
  }
  Fibre *fibre = free_fibres.back();
  free_fibres.pop_back();
  return fibre;
}

static void check_stack() {
  if (!stack_is_whole(running)) kernel_fault(cudaErrorHardwareStackError, "%s", stack_too_small);
}

uintptr_t fresh_running_stack() {
  unpoison(reinterpret_cast<uintptr_t>(running->stack), running->size);
  return reinterpret_cast<uintptr_t>(running->stack) + running->size;
}

void abandon() {
  Fibre *me = running;
  finished = false;
  switch_fibre(me, &host, true);
  __builtin_unreachable();
}

// --- choosing the next thread --------------------------------------------------------------------
static void make_ready(unsigned warp, unsigned lanes) {
  block.warps[warp].ready |= lanes;
  if (block.warps[warp].ready) block.ready_warps |= 1u << warp;
}

static int take_ready(unsigned warp) {
  WarpState &w = block.warps[warp];
  int lane = machine().descending ? 31 - __builtin_clz(w.ready) : __builtin_ctz(w.ready);
  w.ready &= ~(1u << lane);
  if (!w.ready) block.ready_warps &= ~(1u << warp);
  return static_cast<int>(warp * 32) + lane;
}

// Returns a thread that can continue: a ready lane of this warp, else one that has not started
// (*fresh), else a ready lane of another warp. Returns -1 if there is none.
static int pick(bool *fresh) {
  unsigned warp = current_thread() / 32;
  *fresh = false;
  if (block.warps[warp].ready) return take_ready(warp);
  if (execution.started + 1 < execution.count) {
    *fresh = true;
    execution.started++;
    return 0;
  }
  if (!block.ready_warps) return -1;
  return take_ready(static_cast<unsigned>(machine().descending
                                              ? 31 - __builtin_clz(block.ready_warps)
                                              : __builtin_ctz(block.ready_warps)));
}

[[noreturn]] static void report_divergence() {
  unsigned at_warp = 0;
  Place warp_place = {"?", 0};
  for (unsigned t = 0; t < execution.count; t++)
    if (block.warps[t / 32].parked >> (t & 31) & 1) {
      at_warp++;
      warp_place = block.lanes[t].place;
    }
  char barriers[160] = "", operations[160] = ""; // not strings: a fault runs no destructors
  if (block.waiting)
    snprintf(barriers, sizeof barriers, " %u at __syncthreads (%s line %d)", block.waiting,
             file_name(block.barrier_place.file), block.barrier_place.line);
  if (at_warp)
    snprintf(operations, sizeof operations, "%s %u at a warp operation (%s line %d)",
             block.waiting ? "," : "", at_warp, file_name(warp_place.file), warp_place.line);
  kernel_fault(cudaErrorLaunchFailure, "divergence: the threads wait for each other for ever:%s%s",
               barriers, operations);
}

// Stops the running thread until another one makes it ready.
static void park(unsigned thread) {
  check_stack();
  Fibre *me = running;
  block.home[thread] = me;
  bool fresh;
  int next = pick(&fresh);
  if (next < 0) report_divergence();
  if (fresh) {
    threadIdx = execution.order[execution.started];
    running = take_fibre();
  } else {
    threadIdx = block.ascending[next];
    running = block.home[next];
  }
  switch_fibre(me, running, false);
}

// --- barriers ------------------------------------------------------------------------------------
// From now on the block keeps track of its threads; those before the running one have left the
// kernel.
static void first_meeting() {
  execution.met = true;
  block.living = execution.count - execution.started;
  block.waiting = block.ready_warps = block.votes = 0;
  unsigned warps = (execution.count + 31) / 32;
  for (unsigned w = 0; w < warps; w++) {
    unsigned missing = w == warps - 1 && execution.count % 32 ? ~0u << execution.count % 32 : 0;
    block.warps[w] = {missing, 0, 0};
    block.at_barrier[w] = 0;
  }
  for (unsigned i = 0; i < execution.started; i++) {
    unsigned t = machine().descending ? execution.count - 1 - i : i;
    block.warps[t / 32].exited |= 1u << (t & 31);
  }
}

static void release_barrier(unsigned arrived) {
  block.vote_result = static_cast<uint64_t>(arrived) << 32 | block.votes;
  block.waiting = block.votes = 0;
  for (unsigned w = 0; w * 32 < execution.count; w++) {
    if (block.at_barrier[w]) make_ready(w, block.at_barrier[w]);
    block.at_barrier[w] = 0;
  }
}

static bool same_place(const Place &a, const Place &b) {
  return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

uint64_t barrier(bool vote, Place place) {
  if (!in_kernel()) __builtin_trap();
  if (!execution.met) first_meeting();
  if (block.waiting && !same_place(block.barrier_place, place))
    kernel_fault(cudaErrorLaunchFailure,
                 "divergence: %u threads wait at __syncthreads of %s line %d, this one at line %d",
                 block.waiting, file_name(block.barrier_place.file), block.barrier_place.line,
                 place.line);
  block.barrier_place = place;
  block.votes += vote;
  if (block.waiting + 1 == block.living) {
    release_barrier(block.living);
    return block.vote_result;
  }
  unsigned thread = current_thread();
  block.waiting++;
  block.at_barrier[thread / 32] |= 1u << (thread & 31);
  park(thread);
  return block.vote_result;
}

// --- warp operations -----------------------------------------------------------------------------
static void compute_group(Lane *lanes, unsigned group, WarpOperation operation) {
  unsigned ballot = 0;
  for (unsigned rest = group; rest && operation == WARP_BALLOT; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    ballot |= static_cast<unsigned>(lanes[lane].value & 1) << lane;
  }
  for (unsigned rest = group; rest && operation != WARP_SYNC; rest &= rest - 1) {
    Lane &lane = lanes[__builtin_ctz(rest)];
    if (operation == WARP_SHUFFLE) { // a missing source lane gives NaN
      lane.result =
          lane.source < 32 && (group >> lane.source & 1) ? lanes[lane.source].value : ~uint64_t(0);
    } else if (operation == WARP_BALLOT) {
      lane.result = ballot;
    } else {
      lane.result = 0;
      for (unsigned other = 0; other < 32; other++)
        if ((group >> other & 1) && lanes[other].value == lane.value) lane.result |= 1u << other;
    }
  }
}

// Computes the results of a group if all living lanes of the mask have come with this mask. Returns
// these lanes, else 0.
static unsigned complete_group(unsigned warp, unsigned mask) {
  WarpState &w = block.warps[warp];
  unsigned wanted = mask & ~w.exited;
  if (!wanted || (w.parked & wanted) != wanted) return 0;
  Lane *lanes = block.lanes + warp * 32;
  const Lane &first = lanes[__builtin_ctz(wanted)];
  for (unsigned rest = wanted; rest; rest &= rest - 1) {
    const Lane &lane = lanes[__builtin_ctz(rest)];
    if (lane.mask != mask) return 0;
    if (lane.operation != first.operation || !same_place(lane.place, first.place))
      kernel_fault(
          cudaErrorLaunchFailure,
          "divergence: lanes of one warp meet in different warp operations (%s line %d and "
          "line %d)",
          file_name(first.place.file), first.place.line, lane.place.line);
  }
  compute_group(lanes, wanted, first.operation);
  w.parked &= ~wanted;
  return wanted;
}

uint64_t warp_operation(WarpOperation operation, unsigned mask, uint64_t value,
                        unsigned source_lane, Place place) {
  if (!in_kernel()) __builtin_trap();
  if (!execution.met) first_meeting();
  unsigned thread = current_thread(), warp = thread / 32, me = 1u << (thread & 31);
  if (!(mask & me))
    kernel_fault(cudaErrorLaunchFailure,
                 "the mask %#x of a warp operation (%s line %d) lacks lane %u", mask,
                 file_name(place.file), place.line, thread & 31);
  block.lanes[thread] = {place, operation, mask, source_lane, value, 0};
  block.warps[warp].parked |= me;
  unsigned group = complete_group(warp, mask);
  if (group)
    make_ready(warp, group & ~me);
  else
    park(thread);
  return block.lanes[thread].result;
}

unsigned living_lanes() {
  if (!in_kernel()) __builtin_trap();
  if (!execution.met) first_meeting();
  return ~block.warps[current_thread() / 32].exited;
}

// --- the loop over threads and blocks ------------------------------------------------------------
static void thread_exits() {
  unsigned thread = current_thread(), warp = thread / 32;
  WarpState &w = block.warps[warp];
  w.exited |= 1u << (thread & 31);
  block.living--;
  if (block.waiting && block.waiting == block.living) release_barrier(block.living);
  unsigned rest = w.parked;
  while (rest) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    unsigned group = complete_group(warp, block.lanes[warp * 32 + lane].mask);
    make_ready(warp, group);
    rest &= ~(group | 1u << lane);
  }
}

static void set_block(uint64_t index) {
  if (machine().descending) index = block_total - 1 - index;
  uint64_t area = static_cast<uint64_t>(gridDim.x) * gridDim.y;
  blockIdx.x = static_cast<unsigned>(index % gridDim.x);
  blockIdx.y = static_cast<unsigned>(index % area / gridDim.x);
  blockIdx.z = static_cast<unsigned>(index / area);
  execution.started = 0;
  execution.met = false;
  threadIdx = execution.order[0];
  shared_epoch++;
}

static bool next_block() {
  check_stack();
  const char *damaged = check_shared();
  if (damaged)
    kernel_fault(cudaErrorIllegalAddress, "the block wrote out of the bounds of shared array %s",
                 damaged);
  if (++block_index == block_total) {
    finished = true;
    return false;
  }
  set_block(block_index);
  return true;
}

bool next_thread_after_meeting() {
  if (!execution.met) return next_block();
  check_stack();
  thread_exits();
  bool fresh;
  int next = pick(&fresh);
  if (next < 0) {
    if (block.living) report_divergence();
    return next_block();
  }
  if (fresh) { // starts on this same stack, without a switch
    threadIdx = execution.order[execution.started];
    return true;
  }
  Fibre *me = running;
  free_fibres.push_back(me);
  threadIdx = block.ascending[next];
  running = block.home[next];
  switch_fibre(me, running, false);
  return me->epoch == epoch; // false: a later launch took this fibre, so leave the old one
}

static void fill_tables(dim3 size) {
  if (block.table_for.x == size.x && block.table_for.y == size.y && block.table_for.z == size.z &&
      execution.count)
    return;
  unsigned count = size.x * size.y * size.z, t = 0;
  for (unsigned z = 0; z < size.z; z++)
    for (unsigned y = 0; y < size.y; y++)
      for (unsigned x = 0; x < size.x; x++, t++)
        block.ascending[t] = block.descending[count - 1 - t] = uint3{x, y, z};
  block.table_for = size;
}

void execute(Launch &launch) {
  ready_thread_for_faults();
  fill_tables(launch.block);
  execution.count = launch.block.x * launch.block.y * launch.block.z;
  execution.order = machine().descending ? block.descending : block.ascending;
  blockDim = launch.block;
  gridDim = launch.grid;
  block_index = 0;
  block_total = static_cast<uint64_t>(gridDim.x) * gridDim.y * gridDim.z;
  begin_shared(launch.shared_bytes, launch.shared_limit);
  epoch++;
  finished = false;
  set_block(0);
  if (every_fibre.empty()) { // without a first stack, a failing launch has no thread to name
    Fibre *first = make_fibre();
    if (!first) {
      fault(cudaErrorLaunchOutOfResources, "no memory for the stacks of kernel %s", launch.kernel);
      return;
    }
    prepare_fibre(first, fibre_main);
    every_fibre.push_back(first);
    free_fibres.push_back(first);
  }
  current = &launch;
  running = take_fibre();
  switch_fibre(&host, running, false);
  current = nullptr;
  if (finished) {
    free_fibres.push_back(running);
    return;
  }
  free_fibres = every_fibre; // a fault: the content of all stacks is dropped
  for (Fibre *fibre : every_fibre) prepare_fibre(fibre, fibre_main);
}

} // namespace simulator
