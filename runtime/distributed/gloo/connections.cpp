/* connections.cpp: connects the ranks of a group, and lets every failure of a connection reach who waits for it. */
#include "distributed/gloo/connections.h"

#include <algorithm>
#include <cstring>

#include <netinet/in.h>

#include "distributed/gloo/system.h"

namespace tocha {

namespace tcp = gloo::transport::tcp;

/* How Gloo's thread waits for a lock: it gives way so many times, then sleeps so many times, nanoseconds each. */
static constexpr int YIELDS = 8, SLEEPS = 20;
static constexpr int64_t NAP = 10000;

/* Gloo adds its timeouts to a clock's time: a longer one would overflow. */
static constexpr int64_t LONGEST = (int64_t)100 * 3600 * 1000000000; /* nanoseconds */

static thread_local int64_t deadline_here = INT64_MAX;

deadline_scope::deadline_scope(int64_t deadline) : before(deadline_here) {
  deadline_here = deadline;
}

deadline_scope::~deadline_scope() { deadline_here = before; }

/* Of the group that this thread opens, else NULL. */
static thread_local const tocha_engine_store *opening_here = nullptr;

opening_scope::opening_scope(const tocha_engine_store &store) { opening_here = &store; }

opening_scope::~opening_scope() { opening_here = nullptr; }

static std::chrono::nanoseconds time_until(int64_t deadline) {
  int64_t now = system_nanoseconds();
  return std::chrono::nanoseconds(deadline <= now ? 0 : std::min(deadline - now, LONGEST));
}

/* --- buffers --------------------------------------------------------------------------------------- */

buffer::buffer(const std::shared_ptr<connections> &links, void *data, size_t bytes)
    : tcp::UnboundBuffer(links, data, bytes), owner(links), deadline(deadline_here) {
  std::lock_guard<std::mutex> guard(owner->lock);
  owner->buffers.insert(this);
}

buffer::~buffer() {
  std::lock_guard<std::mutex> guard(owner->lock);
  owner->buffers.erase(this);
}

void buffer::wake() {
  abortWaitRecv();
  abortWaitSend();
}

template <typename Wait> bool buffer::wait(Wait for_it) {
  auto interrupted = [this] {
    if (owner->is_aborted()) throw interruption(TOCHA_ENGINE_ABORTED, "the operation was aborted");
  };
  interrupted();
  auto left = std::chrono::ceil<std::chrono::milliseconds>(time_until(deadline));
  try {
    if (for_it(left)) return true;
  } catch (const std::exception &) {
    interrupted();
    if (system_nanoseconds() < deadline) throw;
    throw interruption(TOCHA_ENGINE_TIMED_OUT, "the deadline has passed");
  }
  interrupted();
  throw interruption(TOCHA_ENGINE_FAILED, "a wait ended early");
}

bool buffer::waitRecv(int *rank, std::chrono::milliseconds) {
  return wait([&](auto left) { return tcp::UnboundBuffer::waitRecv(rank, left); });
}

bool buffer::waitSend(int *rank, std::chrono::milliseconds) {
  return wait([&](auto left) { return tcp::UnboundBuffer::waitSend(rank, left); });
}

/* --- one connection -------------------------------------------------------------------------------- */

connection::connection(connections *all, tcp::Device *device, int rank,
                       std::chrono::milliseconds timeout)
    : tcp::Pair(all, device, rank, timeout), owner(all), listener(fd_) {
  setLocalRank(0);
}

/* Gloo's thread shall find nothing of this class half destroyed. */
connection::~connection() {
  std::lock_guard<std::mutex> guard(m_);
  if (state_ != CLOSED) changeState(CLOSED);
}

/* Waits a little until no other thread has the lock: who sends holds it while the kernel copies, and Gloo's thread would look for
 * the same events again and again meanwhile, on the processor that the sender needs. Not for long, for who
 * ends the connection waits for Gloo's thread. */
void connection::let_others_finish() {
  for (int turn = 0; turn < YIELDS + SLEEPS; turn++) {
    if (std::unique_lock<std::mutex>(m_, std::try_to_lock)) return;
    turn < YIELDS ? system_yield() : system_sleep(NAP);
  }
}

/* Gloo's thread calls it. An exception that left it would end the process. */
void connection::handleEvents(int events) {
  let_others_finish();
  try {
    tcp::Pair::handleEvents(events);
  } catch (const std::exception &e) {
    fail(e.what());
  } catch (...) {
    fail("unknown error");
  }
}

/* Who holds the lock may wait for this thread, so it is not waited for: what has failed will fail again. */
void connection::fail(const char *why) {
  std::unique_lock<std::mutex> guard(m_, std::try_to_lock);
  if (!guard || state_ == CLOSED) return;
  if (state_ == LISTENING && fd_ != listener && fd_ >= 0) { /* accepted, but not watched yet */
    system_close(fd_);
    fd_ = -1;
  }
  signalException(std::string(why));
}

/* Runs under the connection's lock. Gloo tells the buffers whose turn has not come that the connection
 * has ended; those that are partly sent or received learn it here. */
void connection::changeState(state next) noexcept {
  if (next == CONNECTED && owner->spans_hosts) system_notice_silence(fd_);
  if (next == CLOSED && ex_) {
    auto tell = [this](const tcp::Op &op) {
      if (!op.ubuf) return;
      gloo::NonOwningPtr<tcp::UnboundBuffer> user(op.ubuf);
      if (user) static_cast<buffer *>(user.operator->())->fail(ex_);
    };
    tell(rx_);
    for (const tcp::Op &op : tx_) tell(op);
  }
  tcp::Pair::changeState(next);
}

void connection::waitUntilConnected(std::unique_lock<std::mutex> &lock, bool) {
  static constexpr auto LOOK = std::chrono::milliseconds(50);
  auto end = std::chrono::steady_clock::now() + time_until(deadline_here);
  auto is_connected = [this] {
    throwIfException();
    return state_ >= CONNECTED;
  };
  while (!cv_.wait_for(lock, LOOK, is_connected)) {
    if (opening_here && opening_here->ends(opening_here->user))
      throw interruption(TOCHA_ENGINE_ABORTED, "the group is broken", rank_);
    if (std::chrono::steady_clock::now() < end) continue;
    throw interruption(TOCHA_ENGINE_TIMED_OUT, "rank " + std::to_string(rank_) + " did not connect",
                       rank_);
  }
}

std::string connection::words() {
  std::lock_guard<std::mutex> guard(m_);
  if (!ex_) return "";
  try {
    throwIfException();
  } catch (const std::exception &e) {
    return e.what();
  } catch (...) {
  }
  return "";
}

/* --- all of them ----------------------------------------------------------------------------------- */

connections::connections(std::shared_ptr<tcp::Device> device, int rank_here, int ranks)
    : tcp::Context(std::move(device), rank_here, ranks) {}

std::unique_ptr<gloo::transport::Pair> &connections::createPair(int rank_there) {
  pairs_[rank_there] = std::make_unique<connection>(this, device_.get(), rank_there, getTimeout());
  return pairs_[rank_there];
}

std::unique_ptr<gloo::transport::UnboundBuffer> connections::createUnboundBuffer(void *data,
                                                                                 size_t bytes) {
  auto self = std::static_pointer_cast<connections>(shared_from_this());
  return std::make_unique<buffer>(self, data, bytes);
}

connection *connections::to(int rank_there) {
  return static_cast<connection *>(pairs_[rank_there].get());
}

void connections::abort() {
  aborted = true;
  {
    std::lock_guard<std::mutex> guard(lock);
    for (buffer *each : buffers) each->wake();
  }
  end("the operation was aborted");
}

void connections::end(const std::string &words) {
  for (int i = 0; i < size; i++)
    if (pairs_[i]) to(i)->end(words);
}

/* --- connecting ------------------------------------------------------------------------------------ */

static std::shared_ptr<tcp::Device> open_device(const char *address) {
  tcp::attr attributes(*address ? address : "127.0.0.1");
  uint64_t before[SIGNAL_WORDS];
  system_block_signals(before); /* the device's thread inherits them */
  std::shared_ptr<tcp::Device> device;
  try {
    device = std::static_pointer_cast<tcp::Device>(tcp::CreateDevice(attributes));
  } catch (...) {
    system_restore_signals(before);
    throw;
  }
  system_restore_signals(before);
  return device;
}

/* A rank publishes one address, and the port where it waits for each rank. */
struct meeting_place {
  struct sockaddr_storage address;
  std::vector<uint16_t> ports;
};

static uint16_t *port_of(struct sockaddr_storage *address) {
  return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port
                                        : &((struct sockaddr_in *)address)->sin_port;
}

static std::string name_of(int rank) { return "gloo/" + std::to_string(rank); }

static void publish(const tocha_channel_options &options, connections &links) {
  meeting_place here;
  here.ports.resize(options.size);
  for (int i = 0; i < options.size; i++) {
    if (i == options.rank) continue;
    auto *self = static_cast<const tcp::Address *>(&links.createPair(i)->address());
    here.address = self->getSockaddr();
    here.ports[i] = *port_of(&here.address);
  }
  std::string bytes((const char *)&here.address, sizeof here.address);
  bytes.append((const char *)here.ports.data(), here.ports.size() * sizeof(uint16_t));
  const tocha_engine_store &store = options.store;
  if (!store.set(store.user, name_of(options.rank).c_str(), bytes.data(), bytes.size()))
    throw interruption(TOCHA_ENGINE_FAILED, "the store did not take this rank's address");
}

static tcp::Address address_of(const tocha_channel_options &options, int rank) {
  struct sockaddr_storage address;
  std::vector<char> bytes(sizeof address + (size_t)options.size * sizeof(uint16_t));
  const tocha_engine_store &store = options.store;
  int64_t size =
      store.get(store.user, name_of(rank).c_str(), bytes.data(), bytes.size(), options.deadline);
  if (size < 0)
    throw interruption(TOCHA_ENGINE_TIMED_OUT,
                       "rank " + std::to_string(rank) + " did not tell its address", rank);
  if ((size_t)size != bytes.size())
    throw interruption(TOCHA_ENGINE_FAILED,
                       "rank " + std::to_string(rank) + " has another version or world size", rank);
  std::memcpy(&address, bytes.data(), sizeof address);
  std::memcpy(port_of(&address),
              bytes.data() + sizeof address + (size_t)options.rank * sizeof(uint16_t),
              sizeof(uint16_t));
  return tcp::Address((const struct sockaddr *)&address, sizeof address);
}

mesh::mesh(const tocha_channel_options &options) : gloo::Context(options.rank, options.size) {
  auto device = open_device(options.address);
  ours = std::make_shared<connections>(device, rank, size);
  ours->spans_hosts = *options.address != '\0';
  ours->setTimeout(std::chrono::hours(1)); /* of sockets that block, which these do not */
  deadline_scope scope(options.deadline);
  opening_scope opening(options.store);
  publish(options, *ours);
  for (int i = 0; i < size; i++)
    if (i != rank) ours->getPair(i)->connect(address_of(options, i).bytes());
  device_ = device;
  transportContext_ = ours;
}

} // namespace tocha
