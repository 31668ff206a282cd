/* gloo.cpp: the engine of CPUs, on libgloo: the functions of Gloo's that PyTorch's ProcessGroupGloo calls, for PyTorch's digits.
 *
 * Gloo connects all ranks with all and adds in a ring, the order of which decides the last digits. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/config.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

#include "distributed/gloo/connections.h"
#include "distributed/gloo/system.h"
#include "distributed/reductions/reductions.h"

using tocha::interruption;

/* Past so many ranks a ring takes too long, and so does connecting all with all. */
static constexpr int MOST_RANKS = 512;
/* Files that a process has open beside its connections. */
static constexpr int64_t OTHER_FILES = 32;

struct tocha_channel {
  std::shared_ptr<tocha::mesh> context;
  uint32_t collectives = 0; /* so many have begun: the tag of the next one */
};

/* --- operations ------------------------------------------------------------------------------------ */

/* One operation: what the functions below share. Gloo gets bytes wherever elements do not matter. */
struct operation {
  const std::shared_ptr<tocha::mesh> &context;
  tocha_transfer &t;
  uint32_t tag;
  size_t element = tocha_engine_item_size(t.dtype), bytes = element * (size_t)t.count;

  uint8_t *output() const { return (uint8_t *)t.output; }
  uint8_t *input() const { return (uint8_t *)const_cast<void *>(t.input); }
  bool is_root() const { return context->rank == t.root; }
  size_t ranks() const { return (size_t)context->size; }
};

/* Calls f with a number of the element's size, which is how Gloo learns it. */
template <typename F> static void with_element(const operation &o, F f) {
  switch (o.element) {
  case 1:
    return f(uint8_t());
  case 2:
    return f(uint16_t());
  case 4:
    return f(uint32_t());
  default:
    return f(uint64_t());
  }
}

static void all_reduce_sum(const operation &o, void *data, size_t count) {
  gloo::AllreduceOptions options(o.context);
  options.setReduceFunction(engine_find_reduction(o.t.dtype, o.t.op));
  options.setTag(o.tag);
  with_element(o, [&](auto e) { options.setOutput((decltype(e) *)data, count); });
  gloo::allreduce(options);
}

static void reduce_sum(const operation &o, void *data, size_t count, int root) {
  gloo::ReduceOptions options(o.context);
  options.setReduceFunction(engine_find_reduction(o.t.dtype, o.t.op));
  options.setTag(o.tag);
  options.setRoot(root);
  with_element(o, [&](auto e) { options.setOutput((decltype(e) *)data, count); });
  gloo::reduce(options);
}

static void finish_mean(const operation &o) {
  if (o.t.op == TOCHA_REDUCE_AVG) engine_divide(o.t.output, o.t.dtype, o.t.count, o.context->size);
}

static void all_reduce(const operation &o) {
  if (o.t.input != o.t.output) std::memmove(o.t.output, o.t.input, o.bytes);
  all_reduce_sum(o, o.t.output, (size_t)o.t.count);
  finish_mean(o);
}

static void reduce(const operation &o) {
  if (o.t.input != o.t.output) std::memmove(o.t.output, o.t.input, o.bytes);
  reduce_sum(o, o.t.output, (size_t)o.t.count, o.t.root);
  if (o.is_root()) finish_mean(o);
}

/* PyTorch reduces a tensor's parts in one ring over all of it, those of a list each in a ring of its own. */
static void reduce_scatter(const operation &o) {
  std::vector<uint8_t> all(o.input(), o.input() + o.ranks() * o.bytes);
  if (o.t.separate)
    for (int i = 0; i < o.context->size; i++)
      reduce_sum(o, all.data() + (size_t)i * o.bytes, (size_t)o.t.count, i);
  else
    all_reduce_sum(o, all.data(), o.ranks() * (size_t)o.t.count);
  std::memcpy(o.t.output, all.data() + (size_t)o.context->rank * o.bytes, o.bytes);
  finish_mean(o);
}

static void broadcast(const operation &o) {
  if (o.is_root() && o.t.input != o.t.output) std::memmove(o.t.output, o.t.input, o.bytes);
  gloo::BroadcastOptions options(o.context);
  options.setRoot(o.t.root);
  options.setTag(o.tag);
  options.setOutput(o.output(), o.bytes);
  gloo::broadcast(options);
}

static void all_gather(const operation &o) {
  gloo::AllgatherOptions options(o.context);
  options.setTag(o.tag);
  options.setInput(o.input(), o.bytes);
  options.setOutput(o.output(), o.ranks() * o.bytes);
  gloo::allgather(options);
}

static void gather(const operation &o) {
  gloo::GatherOptions options(o.context);
  options.setRoot(o.t.root);
  options.setTag(o.tag);
  options.setInput(o.input(), o.bytes);
  if (o.is_root()) options.setOutput(o.output(), o.ranks() * o.bytes);
  gloo::gather(options);
}

static void scatter(const operation &o) {
  gloo::ScatterOptions options(o.context);
  options.setRoot(o.t.root);
  options.setTag(o.tag);
  options.setOutput(o.output(), o.bytes);
  if (o.is_root()) {
    std::vector<uint8_t *> parts(o.ranks());
    for (size_t i = 0; i < parts.size(); i++) parts[i] = o.input() + i * o.bytes;
    options.setInputs(parts, o.bytes);
  }
  gloo::scatter(options);
}

static std::vector<int64_t> in_bytes(const operation &o, const int64_t *counts) {
  std::vector<int64_t> sizes(counts, counts + o.context->size);
  for (int64_t &each : sizes) each *= (int64_t)o.element;
  return sizes;
}

static void all_to_all(const operation &o) {
  gloo::AlltoallvOptions options(o.context);
  options.setTag(o.tag);
  options.setInput(o.input(), in_bytes(o, o.t.input_counts));
  options.setOutput(o.output(), in_bytes(o, o.t.output_counts));
  gloo::alltoallv(options);
}

static void barrier(const operation &o) {
  gloo::BarrierOptions options(o.context);
  options.setTag(o.tag);
  gloo::barrier(options);
}

static void send(const operation &o) {
  auto memory = o.context->createUnboundBuffer(o.input(), o.bytes);
  memory->send(o.t.root, o.t.tag, 0, o.bytes);
  memory->waitSend();
}

static void receive(const operation &o) {
  auto memory = o.context->createUnboundBuffer(o.output(), o.bytes);
  if (o.t.root >= 0) {
    memory->recv(o.t.root, o.t.tag, 0, o.bytes);
  } else {
    std::vector<int> others;
    for (int i = 0; i < o.context->size; i++)
      if (i != o.context->rank) others.push_back(i);
    memory->recv(others, o.t.tag, 0, o.bytes);
  }
  memory->waitRecv(&o.t.source);
}

static void run_one(const operation &o) {
  switch (o.t.kind) {
  case TOCHA_ALL_REDUCE:
    return all_reduce(o);
  case TOCHA_BROADCAST:
    return broadcast(o);
  case TOCHA_REDUCE:
    return reduce(o);
  case TOCHA_ALL_GATHER:
    return all_gather(o);
  case TOCHA_GATHER:
    return gather(o);
  case TOCHA_SCATTER:
    return scatter(o);
  case TOCHA_REDUCE_SCATTER:
    return reduce_scatter(o);
  case TOCHA_ALL_TO_ALL:
    return all_to_all(o);
  case TOCHA_SEND:
    return send(o);
  case TOCHA_RECV:
    return receive(o);
  case TOCHA_BARRIER:
    return barrier(o);
  case TOCHA_COALESCED: /* of engines that have them */
  case TOCHA_SPLIT:
    return;
  }
}

static bool moves_nothing(const tocha_transfer &t) {
  return t.count == 0 && t.kind != TOCHA_ALL_TO_ALL && t.kind != TOCHA_SEND &&
         t.kind != TOCHA_RECV && t.kind != TOCHA_BARRIER;
}

/* --- failures -------------------------------------------------------------------------------------- */

/* Writes the words of an exception of Gloo's, without the place in its source that they begin with. */
static void write_words(tocha_engine_failure *failure, const char *words) {
  const char *end = *words == '[' ? std::strstr(words, "] ") : nullptr;
  std::snprintf(failure->message, sizeof failure->message, "%s", end ? end + 2 : words);
}

/* Says why the exception that is handled was thrown. links: those that may have ended, or NULL. */
static void write_failure(tocha_engine_failure *failure, tocha::connections *links) {
  *failure = {TOCHA_ENGINE_FAILED, -1, ""};
  try {
    throw;
  } catch (const interruption &e) {
    failure->kind = e.kind;
    failure->peer = e.peer;
    write_words(failure, e.what());
  } catch (const std::exception &e) {
    write_words(failure, e.what());
    for (int i = 0; links && i < links->size && failure->peer < 0; i++) {
      if (!links->to(i) || links->to(i)->words() != e.what()) continue;
      failure->kind = TOCHA_ENGINE_LOST_PEER;
      failure->peer = i;
    }
    if (links && links->is_aborted()) failure->kind = TOCHA_ENGINE_ABORTED;
  } catch (...) {
    write_words(failure, "unknown error of Gloo");
  }
}

/* --- the engine ------------------------------------------------------------------------------------ */

static const char *library() {
  static char name[32];
  std::snprintf(name, sizeof name, "Gloo %d.%d.%d", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR,
                GLOO_VERSION_PATCH);
  return name;
}

static bool takes(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op) {
  if (kind == TOCHA_SEND || kind == TOCHA_RECV || kind == TOCHA_BARRIER) return true;
  bool reduces = kind == TOCHA_ALL_REDUCE || kind == TOCHA_REDUCE || kind == TOCHA_REDUCE_SCATTER;
  bool is_known = dtype != TOCHA_INT16; /* to PyTorch's Gloo */
  return is_known && engine_find_reduction(dtype, reduces ? op : TOCHA_REDUCE_SUM) != nullptr;
}

static bool has_room(const tocha_channel_options &options, tocha_engine_failure *failure) {
  int64_t files = system_most_files();
  *failure = {TOCHA_ENGINE_FAILED, -1, ""};
  if (options.size > MOST_RANKS)
    std::snprintf(
        failure->message, sizeof failure->message,
        "Gloo connects every rank with every other one, which is for at most %d ranks, not %d: "
        "use the backend \"mpi\"",
        MOST_RANKS, options.size);
  else if (options.size + OTHER_FILES > files)
    std::snprintf(
        failure->message, sizeof failure->message,
        "Gloo needs %d connections, and this process may open %lld files: raise the limit "
        "(ulimit -n), or use the backend \"mpi\"",
        options.size - 1, (long long)files);
  return !*failure->message;
}

static tocha_channel *open_channel(const tocha_channel_options *options,
                                   tocha_engine_failure *failure) {
  if (!has_room(*options, failure)) return nullptr;
  bool held = system_hold_broken_pipes();
  tocha_channel *channel = nullptr;
  try {
    channel = new tocha_channel{std::make_shared<tocha::mesh>(*options)};
  } catch (...) {
    write_failure(failure, nullptr);
  }
  if (held) system_release_broken_pipes();
  return channel;
}

static void close_channel(tocha_channel *channel) { delete channel; }

static void abort_channel(tocha_channel *channel) { channel->context->links().abort(); }

static bool run(tocha_channel *channel, tocha_transfer *transfer, tocha_engine_failure *failure) {
  bool is_collective = transfer->kind != TOCHA_SEND && transfer->kind != TOCHA_RECV;
  uint32_t tag = is_collective ? channel->collectives++ : 0;
  if (moves_nothing(*transfer)) return true;
  bool held = system_hold_broken_pipes(); /* a peer that is gone shall not end this process */
  bool done = true;
  try {
    tocha::deadline_scope scope(transfer->deadline);
    run_one({channel->context, *transfer, tag});
  } catch (...) {
    done = false;
    tocha::connections &links = channel->context->links();
    write_failure(failure, &links);
    links.end("an operation failed on another connection");
  }
  if (held) system_release_broken_pipes();
  return done;
}

extern "C" const tocha_engine *tocha_engine_entry(const char **reason);

extern "C" __attribute__((visibility("default"))) const tocha_engine *
tocha_engine_entry(const char **reason) {
  static const tocha_engine engine = {
      TOCHA_ENGINE_VERSION, "gloo",  library, false, takes,  open_channel, close_channel, run,
      abort_channel,        nullptr, nullptr, false, nullptr};
  *reason = "";
  return &engine;
}
