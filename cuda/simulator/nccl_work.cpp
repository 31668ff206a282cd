// nccl_work.cpp: how work of the simulated NCCL goes on: with the other ranks, and on its own.
#include "nccl_work.h"

#include "nccl_reductions.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace simulator {

// Refuses what the real one would not notice: it would wait for ever, or write wrong numbers.
static void refuse_difference(int a, const Deed &x, int b, const Deed &y) {
  fault(
      cudaErrorUnknown,
      "rank %d is in %s of %llu elements of type %d (operation %d, root %d), but rank %d in %s of "
      "%llu of type %d (operation %d, root %d)",
      a, x.name, static_cast<unsigned long long>(x.count), x.type, x.op, x.root, b, y.name,
      static_cast<unsigned long long>(y.count), y.type, y.op, y.root);
}

bool Duration::is_over() {
  static const char *wanted = getenv("TOCHA_SIMULATOR_NCCL_SECONDS");
  static const std::chrono::duration<double> least(wanted ? atof(wanted) : 0);
  return is_over(least);
}

bool Duration::is_over(std::chrono::duration<double> least) {
  if (!has_begun) begun = std::chrono::steady_clock::now();
  has_begun = true;
  return std::chrono::steady_clock::now() - begun >= least;
}

// --- collectives -----------------------------------------------------------------------------------
static bool same(const Deed &a, const Deed &b) {
  return strcmp(a.name, b.name) == 0 && a.count == b.count && a.type == b.type && a.op == b.op &&
         a.root == b.root;
}

// Shows the input, unless others still read the one before it.
static bool show(Collective &c) {
  Board &board = c.comm->world->board();
  for (int r = 0; r < c.comm->size; r++)
    if (board.seats[r].departed.load() + 1 < c.number) return false;
  Seat &own = board.seats[c.comm->rank];
  own.deed = c.deed;
  if (c.input_bytes)
    memcpy(c.comm->world->region(c.comm->rank), reinterpret_cast<void *>(view(c.input)),
           c.input_bytes);
  own.arrived.store(c.number);
  return true;
}

bool Collective::advance() {
  if (comm->is_aborted) return true;
  if (!duration.is_over()) return false;
  if (!is_shown) is_shown = show(*this);
  if (!is_shown) return false;
  Board &board = comm->world->board();
  for (int r = 0; r < comm->size; r++)
    if (board.seats[r].arrived.load() < number) return false;
  for (int r = 0; r < comm->size; r++)
    if (!same(deed, board.seats[r].deed)) {
      refuse_difference(comm->rank, deed, r, board.seats[r].deed);
      break;
    }
  return true;
}

static void finish(Collective &c) {
  World &world = *c.comm->world;
  const size_t bytes = c.deed.count * element_bytes(c.deed.type);
  const std::string name = c.deed.name;
  const bool scatters = name == "ncclReduceScatter";
  char *output = reinterpret_cast<char *>(view(c.output));
  if (name == "ncclAllGather") {
    for (int r = 0; r < c.comm->size; r++)
      memcpy(output + size_t(r) * bytes, world.region(r), bytes);
  } else if (name == "ncclAlltoAll") {
    for (int r = 0; r < c.comm->size; r++)
      memcpy(output + size_t(r) * bytes, world.region(r) + size_t(c.comm->rank) * bytes, bytes);
  } else if (name == "ncclBroadcast") {
    memcpy(output, world.region(c.deed.root), bytes);
  } else if (c.deed.root < 0 || c.deed.root == c.comm->rank) {
    std::vector<Input> inputs;
    for (int r = 0; r < c.comm->size; r++)
      inputs.push_back({world.region(r) + (scatters ? size_t(c.comm->rank) * bytes : 0),
                        world.board().seats[r].deed.factor});
    reduce_elements(inputs, output, c.deed.count, c.deed);
  }
}

void Collective::run() {
  comm->run++;
  if (comm->is_aborted || machine().broken) return;
  if (deed.count) finish(*this);
  comm->world->board().seats[comm->rank].departed.store(number);
}

// --- messages --------------------------------------------------------------------------------------
static bool send(ncclComm &comm, Message &m) {
  Mailbox &box = comm.world->board().boxes[comm.rank][m.peer];
  if (box.posted.load() != box.taken.load()) return false;
  box.deed = m.deed;
  const size_t bytes = m.deed.count * element_bytes(m.deed.type);
  if (bytes)
    memcpy(comm.world->region(comm.rank, m.peer), reinterpret_cast<void *>(view(m.data)), bytes);
  box.posted.fetch_add(1);
  return true;
}

// A message that differs waits for so long, as with the real one it would for ever: who compares messages beside the data aborts it first.
static const std::chrono::duration<double> patience(0.5);

static bool receive(ncclComm &comm, Message &m) {
  Mailbox &box = comm.world->board().boxes[m.peer][comm.rank];
  if (box.posted.load() == box.taken.load()) return false;
  const size_t bytes = m.deed.count * element_bytes(m.deed.type);
  const bool differs = box.deed.count != m.deed.count || box.deed.type != m.deed.type;
  if (differs && !m.difference.is_over(patience)) return false;
  if (differs)
    refuse_difference(m.peer, box.deed, comm.rank, m.deed);
  else if (bytes)
    memcpy(reinterpret_cast<void *>(view(m.data)), comm.world->region(m.peer, comm.rank), bytes);
  box.taken.fetch_add(1);
  return true;
}

// Returns true if a message before this one, from or to the same rank, waits.
static bool is_behind(const std::vector<Message> &messages, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (!messages[k].is_done && messages[k].peer == messages[i].peer &&
        messages[k].sends == messages[i].sends)
      return true;
  return false;
}

bool Exchange::advance() {
  bool waits = true, moved = true;
  if (!duration.is_over() && !comm->is_aborted && !machine().broken) return false;
  while (moved && waits && !comm->is_aborted && !machine().broken) {
    moved = waits = false;
    for (size_t i = 0; i < messages.size(); i++) {
      Message &m = messages[i];
      if (m.is_done) continue;
      if (!is_behind(messages, i)) m.is_done = m.sends ? send(*comm, m) : receive(*comm, m);
      moved |= m.is_done;
      waits |= !m.is_done;
    }
  }
  return !waits || comm->is_aborted || machine().broken;
}

// --- going on even if no host waits ----------------------------------------------------------------
static std::deque<Dependency> &unfinished() {
  static auto *list = new std::deque<Dependency>;
  return *list;
}

static std::condition_variable_any &submitted() {
  static auto *condition = new std::condition_variable_any;
  return *condition;
}

static void go_on() {
  const auto pause = std::chrono::microseconds(200);
  for (;; std::this_thread::sleep_for(pause)) {
    machine_lock().lock();
    submitted().wait(machine_lock(), [] { return !unfinished().empty(); });
    size_t kept = 0;
    for (Dependency item : unfinished())
      if (!run_toward(item.stream, item.number)) unfinished()[kept++] = item;
    unfinished().resize(kept);
    machine_lock().unlock();
  }
}

cudaError_t submit_shared(CUstream_st *stream, Work *work, const char *name) {
  static bool has_thread;
  const cudaError_t error = submit(stream, work, name);
  if (error != cudaSuccess) return error;
  if (!has_thread) std::thread(go_on).detach();
  has_thread = true;
  unfinished().push_back({stream->id, stream->last});
  submitted().notify_one();
  return cudaSuccess;
}

} // namespace simulator
