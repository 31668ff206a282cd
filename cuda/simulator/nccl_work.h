// nccl_work.h: communicators of the simulated NCCL, and their work in streams. All of it is under the machine's lock.
#ifndef SIMULATOR_NCCL_WORK_H
#define SIMULATOR_NCCL_WORK_H

#include "machine.h"
#include "nccl_world.h"

#include <chrono>
#include <map>
#include <string>

struct ncclComm;

namespace simulator {

using Communicator = std::shared_ptr<ncclComm>;

// A communicator that is being divided, from the call until the new one is there.
struct Division {
  uint64_t number;
  std::vector<bool> takes_part; // by rank
  int color, key;
  bool is_shown, is_blocking;
  ncclComm_t *result; // of the program
};

} // namespace simulator

struct ncclComm {
  std::shared_ptr<simulator::World> world;
  int rank = 0, size = 0, device = 0;
  bool is_blocking = true;
  bool is_aborted = false, is_finalized = false;
  ncclResult_t state = ncclInProgress; // of the latest call
  std::string error;
  uint64_t collectives = 0;     // begun so far
  uint64_t queued = 0, run = 0; // items of work
  std::vector<double> factors;  // of PreMulSum operations; the first one is number ncclNumOps
  uint64_t divisions = 0;       // begun so far
  std::unique_ptr<simulator::Division> division; // that goes on
};

namespace simulator {

// Living communicators, by handle. A stale handle is never dereferenced.
std::map<ncclComm *, Communicator> &communicators();
Communicator communicator_of(ncclComm_t handle);
// Writes the reason for ncclGetLastError. Returns `result`.
ncclResult_t refuse_call(ncclResult_t result, const char *reason);
// Ends a call that has begun something: waits for it if the communicator blocks.
ncclResult_t answer(ncclComm &comm);
// Lets the division of a communicator go on. Returns ncclInProgress until the new communicator is there.
ncclResult_t divide(ncclComm &comm);

// The time that an item of work has to take at least, from when it was first its stream's head
// (TOCHA_SIMULATOR_NCCL_SECONDS).
struct Duration {
  std::chrono::steady_clock::time_point begun;
  bool has_begun = false;
  bool is_over();
  bool is_over(std::chrono::duration<double> least); // another time
};

// An operation of all ranks. Its input is shown to the others when it is the head of its stream, and it runs once all
// have arrived.
struct Collective final : Work {
  Communicator comm;
  Deed deed;
  uint64_t number;
  const char *input; // as the program names them
  char *output;
  size_t input_bytes;
  bool is_shown = false;
  Duration duration;
  bool advance() override;
  void run() override;
};

// A message to or from another rank.
struct Message {
  bool sends;
  int peer;
  char *data;
  Deed deed;
  bool is_done;
  Duration difference; // since it was seen that the sender and the receiver differ
};

// Sends and receives that go on at the same time.
struct Exchange final : Work {
  Communicator comm;
  std::vector<Message> messages;
  Duration duration;
  bool advance() override;
  void run() override { comm->run++; }
};

// Puts work into a stream, and lets it go on even if no host waits. Takes the work.
cudaError_t submit_shared(CUstream_st *stream, Work *work, const char *name);

} // namespace simulator

#endif
