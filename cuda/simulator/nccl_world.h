// nccl_world.h: what the ranks of a communicator of the simulated NCCL share: memory without a name, which belongs to the
// process that made the id, and which all others open through /proc.
#ifndef SIMULATOR_NCCL_WORLD_H
#define SIMULATOR_NCCL_WORLD_H

#include "../distributed/interface.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace simulator {

const int most_ranks = 16;
const size_t region_bytes = size_t(256) << 20; // addresses only: of a rank, and of a pair of ranks

// The facts on which all ranks must agree, or a sender and its receiver.
struct Deed {
  char name[24];
  uint64_t count;
  int type, op, root;
  double factor; // of a PreMulSum
};

// The part of the shared memory that a rank shows to the others. Its region holds the input of the collective that it has arrived at,
// until all have departed.
struct Seat {
  std::atomic<bool> attached;
  int device;
  std::atomic<uint64_t> arrived, departed; // numbers of collectives
  Deed deed;
  // Numbers of divisions of the ranks: begun, whose color and key are here; with an id for the new world, which its first rank makes; and
  // left, after which nothing of it is read any more.
  std::atomic<uint64_t> begun, named, left;
  int color, key;
  ncclUniqueId child;
};

// One message at a time on its way from a rank to another.
struct Mailbox {
  std::atomic<uint64_t> posted, taken;
  Deed deed;
};

struct Board {
  std::atomic<int> size; // 0: nobody has attached yet
  Seat seats[most_ranks];
  Mailbox boxes[most_ranks][most_ranks]; // by sender, receiver
};

class World {
public:
  // Returns an id, which names memory of this process.
  static bool make_id(ncclUniqueId *id);
  // Takes a seat. Returns nullptr with a reason.
  static std::shared_ptr<World> attach(const ncclUniqueId &id, int size, int rank, int device,
                                       ncclResult_t *result, const char **reason);
  ~World();
  // Returns ncclInProgress until all ranks are there; ncclInvalidUsage if two are on one GPU.
  ncclResult_t meet(int *first, int *second);
  Board &board() { return *board_; }
  char *region(int rank) { return data_ + size_t(rank) * region_bytes; }
  char *region(int from, int to) {
    return data_ + size_t(size_ + from * size_ + to) * region_bytes;
  }
  int size() const { return size_; }
  // Returns the ranks of a color that take part in a division, in the order of their keys.
  std::vector<int> ranks_of(int color, const std::vector<bool> &takes_part) const;

private:
  Board *board_ = nullptr;
  char *data_ = nullptr;
  size_t bytes_ = 0;
  int size_ = 0, file_ = -1; // file_: of the process that made the id
};

} // namespace simulator

#endif
