/* links.h: communicators of NCCL, none of which blocks, each with a stream for its work. */
#pragma once

#include <atomic>
#include <mutex>

#include "distributed/engine.h"
#include "distributed/library.h"

namespace tocha {

/* One communicator and its stream. */
struct Link {
  std::mutex busy; /* of the thread that calls NCCL for it */
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  int64_t aborted = 0;       /* when; 0: it was not. Then it has no communicator */
  ncclComm_t born = nullptr; /* by a split of the communicator, until another link has it */
};

/* A wait for NCCL: its deadline, the flag that ends it early, and the failure that it fills. */
struct Wait {
  const NcclLibrary *nccl;
  const std::atomic<bool> *aborted; /* of the channel */
  int64_t deadline;
  tocha_engine_failure *failure;
};

/* All return false with a failure, also after an abort or the deadline. */

/* Writes the failure of a result of NCCL. */
bool fail_of_nccl(const Wait &wait, ncclComm_t comm, ncclResult_t result);
/* Writes the failure of a call of CUDA, unless it succeeded. */
bool check_cuda(const Wait &wait, cudaError_t status);
/* Makes a communicator of `size` ranks, whose rank 0 gives the others an id under a name of the store. */
bool open_link(const Wait &wait, const tocha_engine_store &store, const char *name, int rank,
               int size, Link *link);
/* Divides a link whose work is done, together with all of its ranks: makes a link of those that give the same color, in the order of their
 * keys, unless the color is NCCL_SPLIT_NOCOLOR. If it fails, `parent` is of no more use. */
bool split_link(const Wait &wait, Link *parent, int color, int key, Link *link);
/* Waits until a call has begun its work. */
bool wait_for_call(const Wait &wait, const Link &link, ncclResult_t result);
/* Waits until the link's work is done. */
bool wait_for_work(const Wait &wait, const Link &link);
/* Looks if an event of the link's work has come. Returns 1, 0 if not yet, -1 with a failure. */
int look_at_link(const Wait &wait, const Link &link, cudaEvent_t event);
/* Ends what runs in the link, which is of no more use. Waits for nothing. */
void abort_link(const NcclLibrary *nccl, Link *link);
/* Ends the link; at once, and what runs in it, if `aborts`. */
void close_link(const NcclLibrary *nccl, Link *link, bool aborts);

} // namespace tocha
