// nccl_world.cpp: the shared memory of the simulated NCCL's ranks.
#include "nccl_world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace simulator {

// What an id holds.
struct Ticket {
  char mark[16];
  int process, file;
};
static const char mark[16] = "simulated NCCL";
static const size_t board_bytes = (sizeof(Board) + 4095) / 4096 * 4096;

bool World::make_id(ncclUniqueId *id) {
  Ticket ticket = {};
  memcpy(ticket.mark, mark, sizeof mark);
  ticket.process = getpid();
  ticket.file = memfd_create("simulated-nccl", MFD_CLOEXEC);
  if (ticket.file < 0) return false;
  memset(id, 0, sizeof *id);
  memcpy(id, &ticket, sizeof ticket);
  return true;
}

// Returns a file of the memory, or -1.
static int open_memory(const Ticket &ticket) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket.process, ticket.file);
  return open(path, O_RDWR | O_CLOEXEC);
}

std::shared_ptr<World> World::attach(const ncclUniqueId &id, int size, int rank, int device,
                                     ncclResult_t *result, const char **reason) {
  Ticket ticket;
  memcpy(&ticket, &id, sizeof ticket);
  *result = ncclInvalidArgument;
  if (memcmp(ticket.mark, mark, sizeof mark) != 0) return *reason = "not a unique id", nullptr;
  if (size < 1 || size > most_ranks || rank < 0 || rank >= size)
    return *reason = "a rank outside of the world, or more ranks than simulated GPUs", nullptr;
  *result = ncclSystemError;
  int file = open_memory(ticket);
  if (file < 0) return *reason = "the process that made the unique id is gone", nullptr;
  auto world = std::make_shared<World>();
  world->size_ = size;
  world->bytes_ = board_bytes + size_t(size + size * size) * region_bytes;
  void *memory = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(world->bytes_)) == 0)
    memory =
        mmap(nullptr, world->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return *reason = "no shared memory", nullptr;
  world->board_ = static_cast<Board *>(memory);
  world->data_ = static_cast<char *>(memory) + board_bytes;
  if (ticket.process == getpid() && rank == 0) world->file_ = ticket.file;
  int none = 0;
  Seat &seat = world->board_->seats[rank];
  *result = ncclInvalidArgument;
  if (!world->board_->size.compare_exchange_strong(none, size) && none != size)
    return *reason = "ranks disagree on the size of the world", nullptr;
  if (seat.attached.load()) return *reason = "two ranks of one number", nullptr;
  seat.device = device;
  seat.attached.store(true);
  *result = ncclSuccess;
  return world;
}

ncclResult_t World::meet(int *first, int *second) {
  for (int i = 0; i < size_; i++)
    if (!board_->seats[i].attached.load()) return ncclInProgress;
  if (file_ >= 0) close(file_);
  file_ = -1;
  const char *shares = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  if (shares && atoi(shares) > 0) return ncclSuccess;
  for (int i = 0; i < size_; i++)
    for (int j = 0; j < i; j++)
      if (board_->seats[i].device == board_->seats[j].device) {
        *first = j;
        *second = i;
        return ncclInvalidUsage;
      }
  return ncclSuccess;
}

std::vector<int> World::ranks_of(int color, const std::vector<bool> &takes_part) const {
  std::vector<int> ranks;
  for (int r = 0; r < size_; r++)
    if (takes_part[static_cast<size_t>(r)] && board_->seats[r].color == color) ranks.push_back(r);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [this](int a, int b) { return board_->seats[a].key < board_->seats[b].key; });
  return ranks;
}

World::~World() {
  if (file_ >= 0) close(file_);
  if (board_) munmap(board_, bytes_);
}

} // namespace simulator
