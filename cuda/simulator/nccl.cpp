// nccl.cpp: a stand-in for NCCL between simulated GPUs, of one process or of several. A communicator that is not blocking
// answers ncclInProgress to every call, and refuses the next one until it was asked how it stands, as NCCL may.
#include "library_call.h"
#include "nccl_reductions.h"
#include "nccl_work.h"

#include <algorithm>
#include <cstring>

namespace simulator {

std::map<ncclComm *, Communicator> &communicators() {
  static auto *list = new std::map<ncclComm *, Communicator>;
  return *list;
}

Communicator communicator_of(ncclComm_t handle) {
  auto found = communicators().find(handle);
  return found == communicators().end() ? nullptr : found->second;
}

static __thread char last_error[1100];

ncclResult_t refuse_call(ncclResult_t result, const char *reason) {
  snprintf(last_error, sizeof last_error, "%s", reason);
  return result;
}

// Asks how a communicator stands.
static ncclResult_t state_of(ncclComm &comm) {
  int first = 0, second = 0;
  if (machine().broken) return ncclUnhandledCudaError;
  if (comm.state != ncclInProgress) return comm.state;
  comm.state = comm.world->meet(&first, &second);
  if (comm.state == ncclInvalidUsage)
    comm.error = "Duplicate GPU detected : rank " + std::to_string(first) + " and rank " +
                 std::to_string(second) + " both on CUDA device " + std::to_string(comm.device);
  if (comm.state == ncclSuccess && comm.is_finalized && comm.run < comm.queued)
    comm.state = ncclInProgress;
  if (comm.state == ncclSuccess && comm.division) comm.state = divide(comm);
  return comm.state;
}

ncclResult_t answer(ncclComm &comm) {
  comm.state = ncclInProgress;
  while (comm.is_blocking && state_of(comm) == ncclInProgress && !comm.is_aborted)
    machine_lock().rest();
  return comm.is_blocking ? comm.state : ncclInProgress;
}

// --- groups of calls -------------------------------------------------------------------------------
struct Call {
  Communicator comm;
  CUstream_st *stream;
  Work *work;
  const char *name;
};
static __thread int group_depth;
static __thread ncclResult_t group_error; // of a call in the group: then none of them begins
static std::vector<Call> &grouped() {
  static thread_local std::vector<Call> calls;
  return calls;
}

static ncclResult_t start(const Call &call) {
  call.comm->queued++;
  if (submit_shared(call.stream, call.work, call.name) != cudaSuccess)
    return refuse_call(ncclUnhandledCudaError, machine().fault);
  return ncclSuccess;
}

// Refuses that two calls of a group use the same memory, unless both read it: they have no order.
static bool are_apart(const Call &a, const Call &b) {
  for (const Touch &one : a.work->touched)
    for (const Touch &other : b.work->touched) {
      if (one.low >= other.high || other.low >= one.high || !(one.writes || other.writes)) continue;
      fault(cudaErrorUnknown, "unordered: %s and %s, which are in one group, use %s", a.name,
            b.name, describe_address(std::max(one.low, other.low)).c_str());
      return false;
    }
  return true;
}

static ncclResult_t start_or_group(const Call &call) {
  auto *messages = dynamic_cast<Exchange *>(call.work);
  for (const Call &other : grouped())
    if (!are_apart(other, call)) {
      delete call.work;
      return refuse_call(ncclUnhandledCudaError, machine().fault);
    }
  if (!group_depth) {
    const ncclResult_t result = start(call);
    return result == ncclSuccess ? answer(*call.comm) : result;
  }
  for (Call &other : grouped()) {
    auto *joined = dynamic_cast<Exchange *>(other.work);
    if (!messages || !joined || other.comm != call.comm || other.stream != call.stream) continue;
    joined->messages.push_back(messages->messages[0]);
    joined->touched.insert(joined->touched.end(), call.work->touched.begin(),
                           call.work->touched.end());
    delete call.work;
    return ncclSuccess;
  }
  grouped().push_back(call);
  return ncclSuccess;
}

// --- operations ------------------------------------------------------------------------------------
struct Arguments {
  const char *name;
  const void *input;
  size_t input_count;
  void *output;
  size_t output_count, count;
  int type, op, root;
  ncclComm_t comm;
  cudaStream_t stream;
};

// Returns the reason why a call is wrong, or nullptr.
static const char *problem_of(const Arguments &a, const Communicator &comm, CUstream_st *stream) {
  if (!comm) return "not a communicator, or one that was aborted or destroyed";
  if (comm->is_finalized) return "the communicator is finalized";
  if (comm->state == ncclInProgress)
    return "the communicator's last call is in progress: ncclCommGetAsyncError was not asked";
  if (comm->state != ncclSuccess) return "the communicator has failed";
  if (!stream) return "not a stream";
  if (stream->device != comm->device) return "a stream of another device";
  if (stream->capture) return "a stream that is captured";
  const size_t bytes = element_bytes(a.type);
  const size_t most = a.input_count > a.count ? a.input_count : a.count;
  if (!bytes || a.root >= comm->size || a.root < -1) return "a type or rank that is not there";
  if (most * bytes > region_bytes) return "more than 256 MiB";
  if (a.op >= 0 && a.type >= ncclFloat8e4m3)
    return "float8 is reduced from compute capability 9.0 on";
  if (a.op >= ncclNumOps && static_cast<size_t>(a.op - ncclNumOps) >= comm->factors.size())
    return "not a reduction";
  return nullptr;
}

static ncclResult_t check(const Arguments &a, Communicator *comm, CUstream_st **stream,
                          std::vector<Touch> &touched) {
  *comm = communicator_of(a.comm);
  *stream = stream_of(a.stream);
  if (machine().broken) return refuse_call(ncclUnhandledCudaError, machine().fault);
  const char *problem = problem_of(a, *comm, *stream);
  if (problem) return refuse_call(*comm ? ncclInvalidUsage : ncclInvalidArgument, problem);
  const size_t bytes = element_bytes(a.type);
  const Range ranges[] = {{a.input, a.input_count * bytes, false},
                          {a.output, a.output_count * bytes, true}};
  for (const Range &range : ranges)
    if (!touch(a.name, range, (*stream)->device, touched))
      return refuse_call(ncclUnhandledCudaError, machine().fault);
  return ncclSuccess;
}

static Deed deed_of(const Arguments &a, const ncclComm &comm) {
  Deed deed = {};
  snprintf(deed.name, sizeof deed.name, "%s", a.name);
  deed.count = a.count;
  deed.type = a.type;
  deed.op = a.op >= ncclNumOps ? static_cast<int>(ncclNumOps) : a.op;
  deed.root = a.root;
  if (a.op >= ncclNumOps) deed.factor = comm.factors[static_cast<size_t>(a.op - ncclNumOps)];
  return deed;
}

// Notes that a call in a group was refused. Returns the result.
static ncclResult_t noted(ncclResult_t result) {
  if (group_depth && group_error == ncclSuccess) group_error = result;
  return result;
}

static ncclResult_t begin_collective(const Arguments &a) {
  Lock lock;
  Communicator comm;
  CUstream_st *stream;
  std::vector<Touch> touched;
  const ncclResult_t result = check(a, &comm, &stream, touched);
  if (result != ncclSuccess) return noted(result);
  auto *work = new Collective;
  work->comm = comm;
  work->deed = deed_of(a, *comm);
  work->number = ++comm->collectives;
  work->input = static_cast<const char *>(a.input);
  work->output = static_cast<char *>(a.output);
  work->input_bytes = a.input_count * element_bytes(a.type);
  work->touched = touched;
  return noted(start_or_group({comm, stream, work, a.name}));
}

static ncclResult_t begin_message(const Arguments &a, bool sends) {
  Lock lock;
  Communicator comm;
  CUstream_st *stream;
  std::vector<Touch> touched;
  const ncclResult_t result = check(a, &comm, &stream, touched);
  if (result != ncclSuccess) return noted(result);
  if (a.root < 0) return noted(refuse_call(ncclInvalidArgument, "a rank that is not there"));
  void *data = sends ? const_cast<void *>(a.input) : a.output;
  auto *work = new Exchange;
  work->comm = comm;
  work->messages = {{sends, a.root, static_cast<char *>(data), deed_of(a, *comm), false, {}}};
  work->touched = touched;
  return noted(start_or_group({comm, stream, work, a.name}));
}

// Returns the size of a communicator, 0 of none.
static size_t ranks_of(ncclComm_t handle) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  return comm ? static_cast<size_t>(comm->size) : 0;
}

static bool is_rank(ncclComm_t handle, int rank) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  return comm && comm->rank == rank;
}

} // namespace simulator

using namespace simulator;

extern "C" ncclResult_t ncclAllReduce(const void *input, void *output, size_t count,
                                      ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                      cudaStream_t stream) {
  return begin_collective(
      {"ncclAllReduce", input, count, output, count, count, type, op, -1, comm, stream});
}

extern "C" ncclResult_t ncclBroadcast(const void *input, void *output, size_t count,
                                      ncclDataType_t type, int root, ncclComm_t comm,
                                      cudaStream_t stream) {
  const size_t sent = is_rank(comm, root) ? count : 0;
  return begin_collective(
      {"ncclBroadcast", input, sent, output, count, count, type, -1, root, comm, stream});
}

extern "C" ncclResult_t ncclReduce(const void *input, void *output, size_t count,
                                   ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm,
                                   cudaStream_t stream) {
  const size_t received = is_rank(comm, root) ? count : 0;
  return begin_collective(
      {"ncclReduce", input, count, output, received, count, type, op, root, comm, stream});
}

extern "C" ncclResult_t ncclAllGather(const void *input, void *output, size_t count,
                                      ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  return begin_collective({"ncclAllGather", input, count, output, count * ranks_of(comm), count,
                           type, -1, -1, comm, stream});
}

extern "C" ncclResult_t ncclReduceScatter(const void *input, void *output, size_t count,
                                          ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                          cudaStream_t stream) {
  return begin_collective({"ncclReduceScatter", input, count * ranks_of(comm), output, count, count,
                           type, op, -1, comm, stream});
}

extern "C" ncclResult_t ncclAlltoAll(const void *input, void *output, size_t count,
                                     ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  const size_t all = count * ranks_of(comm);
  const char *from = static_cast<const char *>(input), *to = static_cast<const char *>(output);
  const size_t bytes = all * element_bytes(type);
  if (from < to + bytes && to < from + bytes)
    return noted(refuse_call(ncclInvalidArgument, "ncclAlltoAll in place"));
  return begin_collective(
      {"ncclAlltoAll", input, all, output, all, count, type, -1, -1, comm, stream});
}

extern "C" ncclResult_t ncclSend(const void *input, size_t count, ncclDataType_t type, int peer,
                                 ncclComm_t comm, cudaStream_t stream) {
  return begin_message({"ncclSend", input, count, nullptr, 0, count, type, -1, peer, comm, stream},
                       true);
}

extern "C" ncclResult_t ncclRecv(void *output, size_t count, ncclDataType_t type, int peer,
                                 ncclComm_t comm, cudaStream_t stream) {
  return begin_message({"ncclRecv", nullptr, 0, output, count, count, type, -1, peer, comm, stream},
                       false);
}

extern "C" ncclResult_t ncclGroupStart(void) {
  group_depth++;
  return ncclSuccess;
}

extern "C" ncclResult_t ncclGroupEnd(void) {
  Lock lock;
  if (!group_depth) return refuse_call(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--group_depth) return ncclSuccess;
  std::vector<Call> calls;
  calls.swap(grouped());
  ncclResult_t result = group_error;
  group_error = ncclSuccess;
  for (const Call &call : calls) {
    if (result == ncclSuccess || result == ncclInProgress)
      result = start(call);
    else
      delete call.work;
  }
  for (const Call &call : calls)
    if (result == ncclSuccess || result == ncclInProgress) result = answer(*call.comm);
  return result;
}

// --- communicators ---------------------------------------------------------------------------------
extern "C" ncclResult_t ncclGetVersion(int *version) {
  *version = 22809;
  return ncclSuccess;
}

extern "C" const char *ncclGetErrorString(ncclResult_t result) {
  static const char *const words[] = {"no error",
                                      "unhandled cuda error",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error",
                                      "NCCL operation in progress"};
  return result >= 0 && result <= ncclInProgress ? words[result] : "unknown result code";
}

extern "C" const char *ncclGetLastError(ncclComm_t handle) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (comm && !comm->error.empty())
    snprintf(last_error, sizeof last_error, "%s", comm->error.c_str());
  return last_error;
}

extern "C" ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  return World::make_id(id) ? ncclSuccess : refuse_call(ncclSystemError, "no shared memory");
}

extern "C" ncclResult_t ncclCommInitRankConfig(ncclComm_t *handle, int size, ncclUniqueId id,
                                               int rank, ncclConfig_t *config) {
  Lock lock;
  ncclResult_t result;
  const char *reason = "";
  if (config && config->magic != NCCL_CONFIG_MAGIC)
    return refuse_call(ncclInvalidArgument, "a configuration that was not initialized");
  auto comm = std::make_shared<ncclComm>();
  comm->world = World::attach(id, size, rank, current_device(), &result, &reason);
  if (!comm->world) return refuse_call(result, reason);
  comm->rank = rank;
  comm->size = size;
  comm->device = current_device();
  comm->is_blocking = !config || config->blocking != 0;
  communicators()[comm.get()] = comm;
  *handle = comm.get();
  return answer(*comm);
}

extern "C" ncclResult_t ncclCommInitRankScalable(ncclComm_t *handle, int size, int rank,
                                                 int id_count, ncclUniqueId *ids,
                                                 ncclConfig_t *config) {
  if (id_count < 1 || id_count > size)
    return refuse_call(ncclInvalidArgument, "no unique id, or more than ranks");
  return ncclCommInitRankConfig(handle, size, ids[0], rank, config);
}

extern "C" ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t *error) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (!comm || !error) return refuse_call(ncclInvalidArgument, "not a communicator");
  *error = state_of(*comm);
  return ncclSuccess;
}

extern "C" ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (!comm) return refuse_call(ncclInvalidArgument, "not a communicator");
  comm->is_finalized = true;
  return answer(*comm);
}

// Work that is queued goes on without the communicator's handle, unless it was aborted.
static ncclResult_t end(ncclComm_t handle, bool aborts) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (!comm) return refuse_call(ncclInvalidArgument, "not a communicator, or one that has ended");
  comm->is_aborted = aborts;
  communicators().erase(handle);
  return ncclSuccess;
}

extern "C" ncclResult_t ncclCommDestroy(ncclComm_t handle) { return end(handle, false); }
extern "C" ncclResult_t ncclCommAbort(ncclComm_t handle) { return end(handle, true); }

extern "C" ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                                                 ncclScalarResidence_t residence,
                                                 ncclComm_t handle) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (!comm || residence != ncclScalarHostImmediate)
    return refuse_call(ncclInvalidArgument, "not a communicator, or a factor on the device");
  comm->factors.push_back(element_as_double(static_cast<char *>(scalar), type));
  *op = static_cast<ncclRedOp_t>(ncclNumOps + static_cast<int>(comm->factors.size()) - 1);
  return ncclSuccess;
}

extern "C" ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t handle) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (!comm || op < ncclNumOps) return refuse_call(ncclInvalidArgument, "not a reduction");
  return ncclSuccess;
}
