// nccl_divisions.cpp: how a communicator of the simulated NCCL is divided: the ranks show their colors on its board, and the first one of
// each color makes an id for the new world, which the others read there.
#include "machine.h"
#include "nccl_work.h"

namespace simulator {

// Shows this rank's color, unless others still read those of the division before it.
static bool show(ncclComm &comm) {
  const Division &d = *comm.division;
  Board &board = comm.world->board();
  for (int r = 0; r < comm.size; r++)
    if (d.takes_part[size_t(r)] && board.seats[r].left.load() + 1 < d.number) return false;
  Seat &own = board.seats[comm.rank];
  own.color = d.color;
  own.key = d.key;
  own.begun.store(d.number);
  return true;
}

// Gives the program the new communicator, NULL if this rank is in none.
static ncclResult_t deliver(ncclComm &comm, const Communicator &made) {
  const std::unique_ptr<Division> d = std::move(comm.division);
  comm.world->board().seats[comm.rank].left.store(d->number);
  if (made) communicators()[made.get()] = made;
  *d->result = made.get();
  return ncclSuccess;
}

// Takes a seat in the world of the id.
static ncclResult_t enter(ncclComm &comm, const ncclUniqueId &id, int size, int rank) {
  ncclResult_t result;
  const char *reason = "";
  auto made = std::make_shared<ncclComm>();
  made->world = World::attach(id, size, rank, comm.device, &result, &reason);
  if (!made->world) {
    comm.error = reason;
    comm.division = nullptr;
    return result;
  }
  made->rank = rank;
  made->size = size;
  made->device = comm.device;
  made->is_blocking = comm.division->is_blocking;
  return deliver(comm, made);
}

ncclResult_t divide(ncclComm &comm) {
  Division &d = *comm.division;
  Board &board = comm.world->board();
  if (!d.is_shown) d.is_shown = show(comm);
  if (!d.is_shown) return ncclInProgress;
  for (int r = 0; r < comm.size; r++)
    if (d.takes_part[size_t(r)] && board.seats[r].begun.load() < d.number) return ncclInProgress;
  if (d.color == NCCL_SPLIT_NOCOLOR) return deliver(comm, nullptr);
  const std::vector<int> ranks = comm.world->ranks_of(d.color, d.takes_part);
  Seat &first = board.seats[ranks[0]];
  if (ranks[0] == comm.rank && first.named.load() < d.number) {
    if (!World::make_id(&first.child)) return ncclSystemError;
    first.named.store(d.number);
  }
  if (first.named.load() < d.number) return ncclInProgress;
  int rank = 0;
  while (ranks[size_t(rank)] != comm.rank) rank++;
  return enter(comm, first.child, static_cast<int>(ranks.size()), rank);
}

// Returns the reason why a communicator cannot be divided, or nullptr.
static const char *problem_of(const ncclComm &comm) {
  if (comm.is_finalized) return "the communicator is finalized";
  if (comm.state == ncclInProgress)
    return "the communicator's last call is in progress: ncclCommGetAsyncError was not asked";
  if (comm.state != ncclSuccess) return "the communicator has failed";
  if (comm.run < comm.queued)
    return "operations of the communicator run: to divide it may wait for ever";
  return nullptr;
}

static ncclResult_t begin(const Communicator &comm, const std::vector<bool> &takes_part, int color,
                          int key, ncclComm_t *result, const ncclConfig_t *config) {
  if (machine().broken) return refuse_call(ncclUnhandledCudaError, machine().fault);
  const char *problem = problem_of(*comm);
  if (problem) return refuse_call(ncclInvalidUsage, problem);
  if (config && config->magic != NCCL_CONFIG_MAGIC)
    return refuse_call(ncclInvalidArgument, "a configuration that was not initialized");
  const bool is_blocking = config && config->blocking != NCCL_CONFIG_UNDEF_INT
                               ? config->blocking != 0
                               : comm->is_blocking;
  comm->division.reset(
      new Division{++comm->divisions, takes_part, color, key, false, is_blocking, result});
  const ncclResult_t answered = answer(*comm);
  if (answered != ncclSuccess || !*result || !is_blocking) return answered;
  return answer(**result);
}

} // namespace simulator

using namespace simulator;

extern "C" ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t *result,
                                      ncclConfig_t *config) {
  Lock lock;
  Communicator comm = communicator_of(handle);
  if (!comm || !result) return refuse_call(ncclInvalidArgument, "not a communicator");
  if (color < NCCL_SPLIT_NOCOLOR) return refuse_call(ncclInvalidArgument, "a color below 0");
  return begin(comm, std::vector<bool>(size_t(comm->size), true), color, key, result, config);
}
