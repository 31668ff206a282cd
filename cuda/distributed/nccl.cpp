/* nccl.cpp: the engine of GPUs, on NCCL. What only moves elements is sent as bytes.
 *
 * All ranks share a communicator for collectives, and for what begins as one with others. A send or a recv has one of its own for the two
 * ranks and the direction, so that neither waits for another one. `run` waits on the host for a barrier alone; others are pending when it
 * returns. */
#include "distributed/links.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <new>

#include "common/half.h"

using tocha::Link;
using tocha::NcclLibrary;
using tocha::Wait;

struct tocha_channel {
  const NcclLibrary *nccl;
  int rank, size, device;
  tocha_engine_store store;
  std::atomic<bool> aborted;
  Link all, messages;                  /* `messages`: of the host's memory */
  std::mutex growing;                  /* of the maps */
  std::map<int, Link> sends, receives; /* by the other rank */
  void *scratch;                       /* of barriers and messages: memory of the GPU */
};

/* --- dtypes and reductions ------------------------------------------------------------------------- */

static size_t size_of(tocha_dtype dtype) {
  static const size_t sizes[] = {
#define DTYPE(ID, name, type, category, real, scalar_type, cpp_name, alias, digits, max)           \
  sizeof(type),
#include "tocha/dtypes.def"
#undef DTYPE
  };
  return sizes[dtype];
}

/* Finds the type in which NCCL reduces a dtype. */
static bool find_type(tocha_dtype dtype, ncclDataType_t *type) {
  switch (dtype) {
  case TOCHA_BOOL:
  case TOCHA_UINT8:
    return *type = ncclUint8, true;
  case TOCHA_INT8:
    return *type = ncclInt8, true;
  case TOCHA_INT32:
    return *type = ncclInt32, true;
  case TOCHA_INT64:
    return *type = ncclInt64, true;
  case TOCHA_FLOAT16:
    return *type = ncclFloat16, true;
  case TOCHA_BFLOAT16:
    return *type = ncclBfloat16, true;
  case TOCHA_FLOAT32:
    return *type = ncclFloat32, true;
  case TOCHA_FLOAT64:
    return *type = ncclFloat64, true;
  default:
    return false;
  }
}

/* Finds NCCL's name of a reduction. Of truth values, a sum is true if one of them is, and a product if all are. */
static bool find_reduction(tocha_dtype dtype, tocha_reduce_op op, ncclRedOp_t *result) {
  switch (op) {
  case TOCHA_REDUCE_SUM:
    return *result = dtype == TOCHA_BOOL ? ncclMax : ncclSum, true;
  case TOCHA_REDUCE_AVG:
    return *result = ncclAvg, dtype != TOCHA_BOOL;
  case TOCHA_REDUCE_PRODUCT:
    return *result = dtype == TOCHA_BOOL ? ncclMin : ncclProd, true;
  case TOCHA_REDUCE_MIN:
    return *result = ncclMin, true;
  case TOCHA_REDUCE_MAX:
    return *result = ncclMax, true;
  default:
    return false;
  }
}

static bool is_floating(tocha_dtype dtype) {
  return dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16 || dtype == TOCHA_FLOAT32 ||
         dtype == TOCHA_FLOAT64;
}

static bool takes(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op) {
  ncclDataType_t type;
  ncclRedOp_t found;
  if (kind != TOCHA_ALL_REDUCE && kind != TOCHA_REDUCE && kind != TOCHA_REDUCE_SCATTER) return true;
  if (op == TOCHA_REDUCE_PREMUL_SUM) return is_floating(dtype);
  return find_type(dtype, &type) && find_reduction(dtype, op, &found);
}

/* Writes the factor as an element. */
static void write_factor(tocha_dtype dtype, double factor, void *element) {
  const float narrow = static_cast<float>(factor);
  const float16 half = from_float<float16>(narrow);
  const bfloat16 brain = from_float<bfloat16>(narrow);
  const void *from = dtype == TOCHA_FLOAT16    ? static_cast<const void *>(&half)
                     : dtype == TOCHA_BFLOAT16 ? static_cast<const void *>(&brain)
                     : dtype == TOCHA_FLOAT32  ? static_cast<const void *>(&narrow)
                                               : static_cast<const void *>(&factor);
  memcpy(element, from, size_of(dtype));
}

/* --- operations ------------------------------------------------------------------------------------ */

/* One operation under way. */
struct operation {
  tocha_channel &channel;
  const tocha_transfer &t;
  const NcclLibrary &nccl;
  const Link &link;
  size_t bytes; /* of `count` elements */
  const char *input() const { return static_cast<const char *>(t.input); }
  char *output() const { return static_cast<char *>(t.output); }
};

static ncclResult_t reduce_by(const operation &o, ncclDataType_t type, ncclRedOp_t op) {
  const size_t count = static_cast<size_t>(o.t.count);
  if (o.t.kind == TOCHA_ALL_REDUCE)
    return o.nccl.ncclAllReduce_(o.t.output, o.t.output, count, type, op, o.link.comm,
                                 o.link.stream);
  if (o.t.kind == TOCHA_REDUCE)
    return o.nccl.ncclReduce_(o.t.output, o.t.output, count, type, op, o.t.root, o.link.comm,
                              o.link.stream);
  return o.nccl.ncclReduceScatter_(o.t.input, o.t.output, count, type, op, o.link.comm,
                                   o.link.stream);
}

static ncclResult_t reduce(const operation &o) {
  ncclDataType_t type;
  ncclRedOp_t op;
  double factor;
  if (!find_type(o.t.dtype, &type)) return ncclInvalidArgument;
  if (o.t.op != TOCHA_REDUCE_PREMUL_SUM)
    return find_reduction(o.t.dtype, o.t.op, &op) ? reduce_by(o, type, op) : ncclInvalidArgument;
  write_factor(o.t.dtype, o.t.factor, &factor);
  ncclResult_t result =
      o.nccl.ncclRedOpCreatePreMulSum_(&op, &factor, type, ncclScalarHostImmediate, o.link.comm);
  if (result != ncclSuccess) return result;
  result = reduce_by(o, type, op);
  o.nccl.ncclRedOpDestroy_(op, o.link.comm);
  return result;
}

/* Sends to, and receives from, each rank what is not empty: `sends` and `receives` count elements for it. */
template <typename Sends, typename Receives>
static ncclResult_t exchange(const operation &o, Sends sends, Receives receives) {
  const size_t element = size_of(o.t.dtype);
  const char *from = o.input();
  char *to = o.output();
  ncclResult_t result = o.nccl.ncclGroupStart_();
  for (int r = 0; r < o.channel.size && result == ncclSuccess; r++) {
    const size_t sent = static_cast<size_t>(sends(r)) * element;
    const size_t received = static_cast<size_t>(receives(r)) * element;
    if (sent) result = o.nccl.ncclSend_(from, sent, ncclUint8, r, o.link.comm, o.link.stream);
    if (received && result == ncclSuccess)
      result = o.nccl.ncclRecv_(to, received, ncclUint8, r, o.link.comm, o.link.stream);
    from += sent;
    to += received;
  }
  const ncclResult_t ended = o.nccl.ncclGroupEnd_();
  return result == ncclSuccess ? ended : result;
}

static ncclResult_t gather(const operation &o) {
  const bool is_root = o.channel.rank == o.t.root;
  return exchange(
      o, [&](int r) { return r == o.t.root ? o.t.count : 0; },
      [&](int) { return is_root ? o.t.count : 0; });
}

static ncclResult_t scatter(const operation &o) {
  const bool is_root = o.channel.rank == o.t.root;
  return exchange(
      o, [&](int) { return is_root ? o.t.count : 0; },
      [&](int r) { return r == o.t.root ? o.t.count : 0; });
}

static ncclResult_t all_to_all(const operation &o) {
  const int64_t count = o.t.input_counts[0];
  if (o.t.is_even && count && o.nccl.ncclAlltoAll_)
    return o.nccl.ncclAlltoAll_(o.t.input, o.t.output,
                                static_cast<size_t>(count) * size_of(o.t.dtype), ncclUint8,
                                o.link.comm, o.link.stream);
  return exchange(
      o, [&](int r) { return o.t.input_counts[r]; }, [&](int r) { return o.t.output_counts[r]; });
}

static ncclResult_t start(const operation &o);

/* Begins all members. Ranks of sends and receives are those of the group. */
static ncclResult_t start_all(const operation &o) {
  ncclResult_t result = o.nccl.ncclGroupStart_();
  for (int i = 0; i < o.t.member_count && result == ncclSuccess; i++) {
    const tocha_transfer &t = o.t.members[i];
    const size_t bytes = static_cast<size_t>(t.count) * size_of(t.dtype);
    if (!bytes) continue;
    if (t.kind == TOCHA_SEND)
      result = o.nccl.ncclSend_(t.input, bytes, ncclUint8, t.root, o.link.comm, o.link.stream);
    else if (t.kind == TOCHA_RECV)
      result = o.nccl.ncclRecv_(t.output, bytes, ncclUint8, t.root, o.link.comm, o.link.stream);
    else
      result = start({o.channel, t, o.nccl, o.link, bytes});
  }
  const ncclResult_t ended = o.nccl.ncclGroupEnd_();
  return result == ncclSuccess ? ended : result;
}

static ncclResult_t start(const operation &o) {
  const Link &link = o.link;
  switch (o.t.kind) {
  case TOCHA_ALL_REDUCE:
  case TOCHA_REDUCE:
  case TOCHA_REDUCE_SCATTER:
    return reduce(o);
  case TOCHA_BROADCAST:
    return o.nccl.ncclBroadcast_(o.t.output, o.t.output, o.bytes, ncclUint8, o.t.root, link.comm,
                                 link.stream);
  case TOCHA_ALL_GATHER:
    return o.nccl.ncclAllGather_(o.t.input, o.t.output, o.bytes, ncclUint8, link.comm, link.stream);
  case TOCHA_GATHER:
    return gather(o);
  case TOCHA_SCATTER:
    return scatter(o);
  case TOCHA_ALL_TO_ALL:
    return all_to_all(o);
  case TOCHA_COALESCED:
    return start_all(o);
  case TOCHA_SEND:
    return o.nccl.ncclSend_(o.t.input, o.bytes, ncclUint8, 1, link.comm, link.stream);
  case TOCHA_RECV:
    return o.nccl.ncclRecv_(o.t.output, o.bytes, ncclUint8, 0, link.comm, link.stream);
  default:
    return o.nccl.ncclAllReduce_(o.channel.scratch, o.channel.scratch, 1, ncclUint8, ncclMax,
                                 link.comm, link.stream);
  }
}

static bool moves_nothing(const tocha_transfer &t) {
  return t.count == 0 && t.kind != TOCHA_BARRIER && t.kind != TOCHA_ALL_TO_ALL;
}

/* Returns the link of an operation, which may not be open. */
static Link *link_of(tocha_channel *channel, const tocha_transfer &t) {
  if (t.kind != TOCHA_SEND && t.kind != TOCHA_RECV)
    return t.is_of_host ? &channel->messages : &channel->all;
  const std::lock_guard<std::mutex> lock(channel->growing);
  return &(t.kind == TOCHA_SEND ? channel->sends : channel->receives)[t.root];
}

/* Opens a link. In one of two ranks the sender is 0. */
static bool open_other(const Wait &wait, tocha_channel *channel, const tocha_transfer &t,
                       Link *link) {
  char name[64];
  if (t.is_of_host)
    return open_link(wait, channel->store, "messages", channel->rank, channel->size, link);
  const bool sends = t.kind == TOCHA_SEND;
  snprintf(name, sizeof name, "from %d to %d", sends ? channel->rank : t.root,
           sends ? t.root : channel->rank);
  return open_link(wait, channel->store, name, sends ? 0 : 1, 2, link);
}

/* Starts an operation after its event, and notes its end in the other one. */
static bool launch(const Wait &wait, const operation &o) {
  auto ready = static_cast<cudaEvent_t>(o.t.ready),
       finished = static_cast<cudaEvent_t>(o.t.finished);
  return (!ready || check_cuda(wait, cudaStreamWaitEvent(o.link.stream, ready, 0))) &&
         wait_for_call(wait, o.link, start(o)) &&
         (!finished || check_cuda(wait, cudaEventRecord(finished, o.link.stream)));
}

/* Runs an operation on a few numbers of the host, by way of the scratch. */
static bool run_message(const Wait &wait, tocha_channel *channel, const tocha_transfer &t,
                        const Link &link) {
  const bool exchanges = t.kind == TOCHA_ALL_TO_ALL;
  const size_t bytes = static_cast<size_t>(exchanges ? channel->size : t.count) * sizeof(int64_t);
  tocha_transfer staged = t;
  char *input = static_cast<char *>(channel->scratch);
  char *output = exchanges ? input + bytes : input;
  staged.input = input;
  staged.output = output;
  const operation o = {*channel, staged, *channel->nccl, link, bytes};
  return check_cuda(wait,
                    cudaMemcpyAsync(input, t.input, bytes, cudaMemcpyHostToDevice, link.stream)) &&
         wait_for_call(wait, link, start(o)) && wait_for_work(wait, link) &&
         check_cuda(
             wait, cudaMemcpyAsync(t.output, output, bytes, cudaMemcpyDeviceToHost, link.stream)) &&
         wait_for_work(wait, link);
}

static bool run(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  const Wait wait = {channel->nccl, &channel->aborted, t->deadline, failure};
  if (t->kind == TOCHA_RECV) t->source = t->root;
  if (moves_nothing(*t)) return true;
  if (!check_cuda(wait, cudaSetDevice(channel->device))) return false;
  Link *link = link_of(channel, *t);
  const std::lock_guard<std::mutex> lock(link->busy);
  if (channel->aborted) return *failure = {TOCHA_ENGINE_ABORTED, -1, "aborted"}, false;
  if (!link->comm && !open_other(wait, channel, *t, link)) return false;
  if (t->is_of_host) return run_message(wait, channel, *t, *link);
  const operation o = {*channel, *t, *channel->nccl, *link,
                       static_cast<size_t>(t->count) * size_of(t->dtype)};
  if (!launch(wait, o)) return false;
  t->is_pending = t->finished && t->kind != TOCHA_BARRIER;
  return t->is_pending || wait_for_work(wait, *link);
}

/* Carries out an abort, unless a thread is in the link: that one ends first. */
static void abort_if_free(const tocha_channel *channel, Link *link) {
  if (!link->busy.try_lock()) return;
  abort_link(channel->nccl, link);
  link->busy.unlock();
}

static int look(tocha_channel *channel, const tocha_transfer *t, tocha_engine_failure *failure) {
  const Wait wait = {channel->nccl, &channel->aborted, INT64_MAX, failure};
  if (!check_cuda(wait, cudaSetDevice(channel->device))) return -1;
  if (channel->aborted) {
    const std::lock_guard<std::mutex> lock(channel->growing);
    for (Link *link : {&channel->all, &channel->messages}) abort_if_free(channel, link);
    for (auto *links : {&channel->sends, &channel->receives})
      for (auto &entry : *links) abort_if_free(channel, &entry.second);
  }
  if (!t) return 0;
  Link *link = link_of(channel, *t);
  if (!link->busy.try_lock()) return 0;
  const int answer = look_at_link(wait, *link, static_cast<cudaEvent_t>(t->finished));
  link->busy.unlock();
  return answer;
}

/* --- channels -------------------------------------------------------------------------------------- */

static void close_channel(tocha_channel *channel) {
  const bool aborts = channel->aborted.load();
  cudaSetDevice(channel->device);
  for (Link *link : {&channel->all, &channel->messages}) close_link(channel->nccl, link, aborts);
  for (auto *links : {&channel->sends, &channel->receives})
    for (auto &entry : *links) close_link(channel->nccl, &entry.second, aborts);
  if (channel->scratch) cudaFree(channel->scratch);
  cudaGetLastError();
  delete channel;
}

/* Returns a channel without links, or NULL with a failure. */
static tocha_channel *new_channel(const tocha_channel_options *options,
                                  tocha_engine_failure *failure) {
  const char *file;
  auto *channel = new (std::nothrow) tocha_channel{tocha::nccl_library(&file),
                                                   options->rank,
                                                   options->size,
                                                   options->device,
                                                   options->store,
                                                   {false},
                                                   {},
                                                   {},
                                                   {},
                                                   {},
                                                   {},
                                                   nullptr};
  if (!channel) {
    *failure = {TOCHA_ENGINE_FAILED, -1, "memory is exhausted"};
    return nullptr;
  }
  const Wait wait = {channel->nccl, &channel->aborted, options->deadline, failure};
  if (check_cuda(wait, cudaSetDevice(channel->device)) &&
      check_cuda(wait, cudaMalloc(&channel->scratch,
                                  2 * static_cast<size_t>(channel->size) * sizeof(int64_t))))
    return channel;
  close_channel(channel);
  return nullptr;
}

static tocha_channel *open_channel(const tocha_channel_options *options,
                                   tocha_engine_failure *failure) {
  tocha_channel *channel = new_channel(options, failure);
  if (!channel) return nullptr;
  const Wait wait = {channel->nccl, &channel->aborted, options->deadline, failure};
  if (open_link(wait, channel->store, "all", channel->rank, channel->size, &channel->all))
    return channel;
  close_channel(channel);
  return nullptr;
}

static bool split(tocha_channel *parent, int color, const tocha_channel_options *options,
                  tocha_channel **child, tocha_engine_failure *failure) {
  const Wait wait = {parent->nccl, &parent->aborted, options->deadline, failure};
  *child = nullptr;
  if (!check_cuda(wait, cudaSetDevice(parent->device))) return false;
  const std::lock_guard<std::mutex> lock(parent->all.busy);
  if (parent->aborted) return *failure = {TOCHA_ENGINE_ABORTED, -1, "aborted"}, false;
  if (!wait_for_work(wait, parent->all)) return false;
  tocha_channel *made = color < 0 ? nullptr : new_channel(options, failure);
  if (color >= 0 && !made) return false;
  if (split_link(wait, &parent->all, color, options->rank, made ? &made->all : nullptr))
    return *child = made, true;
  if (made) close_channel(made);
  return false;
}

/* The thread that runs an operation sees it soon. */
static void abort_channel(tocha_channel *channel) { channel->aborted.store(true); }

static const char *library() {
  static char text[32];
  const char *file;
  int version = 0;
  const NcclLibrary *nccl = tocha::nccl_library(&file);
  if (nccl) nccl->ncclGetVersion_(&version);
  snprintf(text, sizeof text, "NCCL %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
  return text;
}

extern "C" const tocha_engine *tocha_engine_entry(const char **reason);

extern "C" __attribute__((visibility("default"))) const tocha_engine *
tocha_engine_entry(const char **reason) {
  *reason = "";
  const NcclLibrary *nccl = tocha::nccl_library(reason);
  static const tocha_engine engine = {TOCHA_ENGINE_VERSION,
                                      "nccl",
                                      library,
                                      true,
                                      takes,
                                      open_channel,
                                      close_channel,
                                      run,
                                      abort_channel,
                                      nullptr,
                                      look,
                                      true,
                                      nccl && nccl->ncclCommSplit_ ? split : nullptr};
  return nccl ? &engine : nullptr;
}
