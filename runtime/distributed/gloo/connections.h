/* connections.h: Gloo's connections between the ranks of a group, made fit for a process that must survive.
 *
 * Gloo's own wait a whole timeout for a peer that dies within a large message, and end the process if a function of
 * Gloo's thread throws. These classes take the place of Gloo's: every failure reaches the operations that wait. */
#ifndef TOCHA_GLOO_CONNECTIONS_H
#define TOCHA_GLOO_CONNECTIONS_H

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gloo/context.h>
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/tcp/unbound_buffer.h>

#include "distributed/engine.h"

namespace tocha {

/* What an operation that was aborted, or whose deadline has passed, throws. */
struct interruption : std::exception {
  tocha_engine_problem kind;
  int peer = -1;
  std::string words;
  interruption(tocha_engine_problem k, std::string w, int rank = -1)
      : kind(k), peer(rank), words(std::move(w)) {}
  const char *what() const noexcept override { return words.c_str(); }
};

/* While one lives, what this thread waits for in Gloo fails at the deadline (platform_nanoseconds). */
class deadline_scope {
public:
  explicit deadline_scope(int64_t deadline);
  ~deadline_scope();

private:
  int64_t before;
};

/* While one lives, what this thread waits for in Gloo fails once the group's opening ends. */
class opening_scope {
public:
  explicit opening_scope(const tocha_engine_store &store);
  ~opening_scope();
};

class connections;

/* Memory that is sent or received. Waits fail at the deadline of the operation that made the buffer. */
class buffer : public gloo::transport::tcp::UnboundBuffer {
public:
  buffer(const std::shared_ptr<connections> &owner, void *data, size_t bytes);
  ~buffer() override;
  bool waitRecv(int *rank, std::chrono::milliseconds timeout) override;
  bool waitSend(int *rank, std::chrono::milliseconds timeout) override;
  void fail(std::exception_ptr why) { signalException(why); }
  void wake();

private:
  template <typename Wait> bool wait(Wait wait);
  std::shared_ptr<connections> owner;
  int64_t deadline;
};

/* The connection to one rank. */
class connection : public gloo::transport::tcp::Pair {
public:
  connection(connections *owner, gloo::transport::tcp::Device *device, int rank,
             std::chrono::milliseconds timeout);
  ~connection() override;
  void handleEvents(int events) override;
  /* Ends the connection: what uses it throws an exception with these words. */
  void end(const std::string &words) { signalExceptionExternal(words); }
  /* Returns the words with which the connection ended, "" if it has not. */
  std::string words();

private:
  void let_others_finish();
  void fail(const char *why);
  void changeState(state next) noexcept override;
  void waitUntilConnected(std::unique_lock<std::mutex> &lock, bool use_timeout) override;
  const connections *owner;
  int listener; /* the file that waits for the other end */
};

/* All connections of a rank in a group. */
class connections : public gloo::transport::tcp::Context {
public:
  connections(std::shared_ptr<gloo::transport::tcp::Device> device, int rank, int size);
  std::unique_ptr<gloo::transport::Pair> &createPair(int rank) override;
  std::unique_ptr<gloo::transport::UnboundBuffer> createUnboundBuffer(void *data,
                                                                      size_t size) override;
  connection *to(int rank); /* nullptr for this rank */
  /* Makes what waits fail, now and later. Any thread. */
  void abort();
  /* Ends all connections, with these words. Any thread. */
  void end(const std::string &words);
  bool is_aborted() const { return aborted; }
  bool spans_hosts = false; /* then connections end if the other host falls silent */

private:
  friend class buffer;
  std::atomic<bool> aborted{false};
  std::mutex lock;            /* of the following */
  std::set<buffer *> buffers; /* those that exist */
};

/* The context that Gloo's collectives run in: connected with all ranks once it is constructed. Throws. */
class mesh : public gloo::Context {
public:
  explicit mesh(const tocha_channel_options &options);
  connections &links() { return *ours; }

private:
  std::shared_ptr<connections> ours;
};

} // namespace tocha

#endif
