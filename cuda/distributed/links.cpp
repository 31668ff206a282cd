/* links.cpp: makes communicators of NCCL, waits for their work, and ends them. */
#include "distributed/links.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace tocha {

/* In nanoseconds. SPIN: a thread looks for the end so long before it sleeps. NAP: between two looks after that. SLICE: of
 * a wait in the store, which another thread of the group may need. PARTING: for the end of what has failed, or of what
 * others end too. */
static const int64_t SPIN = 50000, NAP = 50000, SLICE = 50000000, PARTING = 2000000000;

/* The clock of deadlines. */
static int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static bool fail(const Wait &wait, tocha_engine_problem kind, const char *message) {
  wait.failure->kind = kind;
  wait.failure->peer = -1;
  snprintf(wait.failure->message, sizeof wait.failure->message, "%s", message);
  return false;
}

bool fail_of_nccl(const Wait &wait, ncclComm_t comm, ncclResult_t result) {
  char text[400];
  const char *more = wait.nccl->ncclGetLastError_(comm);
  snprintf(text, sizeof text, "%s%s%s", wait.nccl->ncclGetErrorString_(result),
           more && *more ? ": " : "", more ? more : "");
  return fail(wait, result == ncclRemoteError ? TOCHA_ENGINE_LOST_PEER : TOCHA_ENGINE_FAILED, text);
}

#ifdef TOCHA_SIMULATED
extern "C" const char *tocha_simulator_fault(void);
static const char *details() { return tocha_simulator_fault(); }
#else
static const char *details() { return ""; }
#endif

bool check_cuda(const Wait &wait, cudaError_t status) {
  char text[400];
  if (status == cudaSuccess) return true;
  cudaGetLastError();
  const char *more = details();
  snprintf(text, sizeof text, "CUDA error: %s%s%s", cudaGetErrorString(status), *more ? ": " : "",
           more);
  return fail(wait, TOCHA_ENGINE_FAILED, text);
}

/* Returns false with a failure if nothing is to be waited for any more; rests a little else. */
static bool goes_on(const Wait &wait, int64_t began) {
  if (wait.aborted->load()) return fail(wait, TOCHA_ENGINE_ABORTED, "aborted");
  const int64_t time = now();
  if (time >= wait.deadline)
    return fail(wait, TOCHA_ENGINE_TIMED_OUT, "the other ranks have not finished");
  if (time - began > SPIN)
    std::this_thread::sleep_for(std::chrono::nanoseconds(NAP));
  else
    std::this_thread::yield();
  return true;
}

bool wait_for_call(const Wait &wait, const Link &link, ncclResult_t result) {
  const int64_t began = now();
  while (result == ncclInProgress) {
    const ncclResult_t asked = wait.nccl->ncclCommGetAsyncError_(link.comm, &result);
    if (asked != ncclSuccess) result = asked;
    if (result == ncclInProgress && !goes_on(wait, began)) return false;
  }
  return result == ncclSuccess || fail_of_nccl(wait, link.comm, result);
}

bool wait_for_work(const Wait &wait, const Link &link) {
  const int64_t began = now();
  for (;;) {
    const cudaError_t status = cudaStreamQuery(link.stream);
    if (status != cudaErrorNotReady) return check_cuda(wait, status);
    cudaGetLastError();
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = wait.nccl->ncclCommGetAsyncError_(link.comm, &state);
    if (asked != ncclSuccess) state = asked;
    if (state != ncclSuccess && state != ncclInProgress)
      return fail_of_nccl(wait, link.comm, state);
    if (!goes_on(wait, began)) return false;
  }
}

int look_at_link(const Wait &wait, const Link &link, cudaEvent_t event) {
  const cudaError_t status = cudaEventQuery(event);
  const bool comes = status == cudaErrorNotReady;
  if (comes) cudaGetLastError();
  if (!link.comm) { /* the work ends by the abort, not by itself */
    const bool ends = comes && now() - link.aborted < PARTING;
    return ends ? 0 : (fail(wait, TOCHA_ENGINE_ABORTED, "aborted"), -1);
  }
  if (!comes) return check_cuda(wait, status) ? 1 : -1;
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = wait.nccl->ncclCommGetAsyncError_(link.comm, &state);
  if (asked != ncclSuccess) state = asked;
  if (state == ncclSuccess || state == ncclInProgress) return 0;
  return fail_of_nccl(wait, link.comm, state), -1;
}

/* Reads an id that another rank has set, or will set. */
static bool read_id(const Wait &wait, const tocha_engine_store &store, const char *name,
                    ncclUniqueId *id) {
  const int64_t began = now();
  for (;;) {
    const int64_t until = std::min(wait.deadline, now() + SLICE);
    if (store.get(store.user, name, id, sizeof *id, until) == static_cast<int64_t>(sizeof *id))
      return true;
    if (!goes_on(wait, began)) return false;
  }
}

/* Makes an id, and gives it to the other ranks. */
static bool set_id(const Wait &wait, const tocha_engine_store &store, const char *name,
                   ncclUniqueId *id) {
  const ncclResult_t result = wait.nccl->ncclGetUniqueId_(id);
  if (result != ncclSuccess) return fail_of_nccl(wait, nullptr, result);
  return store.set(store.user, name, id, sizeof *id) ||
         fail(wait, TOCHA_ENGINE_FAILED, "the store did not take NCCL's unique id");
}

/* Returns the number of ids of a communicator: one for so many ranks as PyTorch has it, because all of them first meet at the rank that
 * made it. */
static int id_count(const NcclLibrary *nccl, int size) {
  const char *wanted = getenv("TORCH_NCCL_RANKS_PER_ROOT");
  const int each = wanted && atoi(wanted) > 0 ? atoi(wanted) : 128;
  return nccl->ncclCommInitRankScalable_ ? (size + each - 1) / each : 1;
}

/* Shares the ids: each is made by the first of its ranks. */
static bool share_ids(const Wait &wait, const tocha_engine_store &store, const char *name, int rank,
                      int size, std::vector<ncclUniqueId> *ids) {
  const int count = static_cast<int>(ids->size());
  char text[96];
  for (int i = 0; i < count; i++) {
    snprintf(text, sizeof text, "%s/%d", name, i);
    const int maker = static_cast<int>(static_cast<int64_t>(size) * i / count);
    if (rank == maker && !set_id(wait, store, text, &(*ids)[static_cast<size_t>(i)])) return false;
  }
  for (int i = 0; i < count; i++) {
    snprintf(text, sizeof text, "%s/%d", name, i);
    if (!read_id(wait, store, text, &(*ids)[static_cast<size_t>(i)])) return false;
  }
  return true;
}

/* Returns the configuration of a communicator whose calls do not block. */
static ncclConfig_t configuration() {
  const int unset = NCCL_CONFIG_UNDEF_INT;
  return {
      sizeof(ncclConfig_t), NCCL_CONFIG_MAGIC, NCCL_OLDEST, 0, unset, unset, unset, nullptr, unset};
}

/* Waits for the communicator of a new link, and makes its stream. Closes the link if that fails. */
static bool finish_link(const Wait &wait, ncclResult_t result, Link *link) {
  if (wait_for_call(wait, *link, result) &&
      check_cuda(wait, cudaStreamCreateWithFlags(&link->stream, cudaStreamNonBlocking)))
    return true;
  close_link(wait.nccl, link, true);
  return false;
}

bool open_link(const Wait &wait, const tocha_engine_store &store, const char *name, int rank,
               int size, Link *link) {
  ncclConfig_t config = configuration();
  std::vector<ncclUniqueId> ids(static_cast<size_t>(id_count(wait.nccl, size)));
  if (!share_ids(wait, store, name, rank, size, &ids)) return false;
  const int count = static_cast<int>(ids.size());
  const ncclResult_t result =
      count > 1 ? wait.nccl->ncclCommInitRankScalable_(&link->comm, size, rank, count, ids.data(),
                                                       &config)
                : wait.nccl->ncclCommInitRankConfig_(&link->comm, size, ids[0], rank, &config);
  return finish_link(wait, result, link);
}

bool split_link(const Wait &wait, Link *parent, int color, int key, Link *link) {
  ncclConfig_t config = configuration();
  const ncclResult_t result =
      wait.nccl->ncclCommSplit_(parent->comm, color, key, &parent->born, &config);
  if (!wait_for_call(wait, *parent, result)) return false;
  if (color == NCCL_SPLIT_NOCOLOR) return true;
  link->comm = parent->born;
  parent->born = nullptr;
  return finish_link(wait, ncclInProgress, link);
}

/* Lets a communicator end its work, which others may wait for. Returns false if it takes long. */
static bool finalize(const NcclLibrary *nccl, const Link &link) {
  const std::atomic<bool> no_abort(false);
  tocha_engine_failure failure;
  const Wait wait = {nccl, &no_abort, now() + PARTING, &failure};
  return wait_for_call(wait, link, nccl->ncclCommFinalize_(link.comm)) &&
         nccl->ncclCommDestroy_(link.comm) == ncclSuccess;
}

/* Waits until aborted work has left the stream, so that its memory may be used. */
static void drain(const Link &link) {
  for (const int64_t until = now() + PARTING; now() < until;) {
    if (cudaStreamQuery(link.stream) != cudaErrorNotReady) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(NAP));
  }
  cudaGetLastError();
}

void abort_link(const NcclLibrary *nccl, Link *link) {
  if (link->comm) nccl->ncclCommAbort_(link->comm);
  if (link->born) nccl->ncclCommAbort_(link->born);
  link->born = nullptr;
  if (link->comm) link->aborted = now();
  link->comm = nullptr;
}

void close_link(const NcclLibrary *nccl, Link *link, bool aborts) {
  if (link->comm && (aborts || !finalize(nccl, *link))) abort_link(nccl, link);
  if (link->stream) {
    drain(*link);
    cudaStreamDestroy(link->stream);
  }
  link->comm = nullptr;
  link->stream = nullptr;
}

} // namespace tocha
