/* client.c: a connection to a server of the protocol of PyTorch's TCPStore. */
#include "distributed/store/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/resolve.h"
#include "distributed/store/wire.h"
#include "platform/platform.h"

enum { CHUNK = 64 << 10 };

static const int64_t millisecond = 1000000;
static const int64_t first_pause = 2 * millisecond,
                     longest_pause = 250 * millisecond; /* between attempts */
static const int64_t cancel_time = 2000 * millisecond;  /* for the answer to a cancellation */

/* --- bytes in and out --------------------------------------------------------------------------------- */

static void drop(store_client *client) {
  if (client->socket >= 0) platform_close(client->socket);
  client->socket = -1;
  client->in.size = client->out.size = 0;
}

void store_client_close(store_client *client) {
  drop(client);
  free(client->in.bytes);
  free(client->out.bytes);
}

static bool lose(store_client *client, tocha_store_failure *failure) {
  drop(client);
  client->lost = true;
  store_fail(failure, TOCHA_STORE_CLOSED,
             "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server "
             "shutdown or crash?");
  store_hint(failure,
             "the store's server at %s, port %d, has closed the connection: the process that "
             "serves it (rank 0, or the launcher) has ended",
             client->host, client->port);
  return false;
}

/* Waits until the socket is ready. Returns false if the call is over. */
static bool wait_for(store_client *client, bool write, const store_patience *patience,
                     tocha_store_failure *failure) {
  for (;;) {
    platform_watch watch = {.socket = client->socket, .read = !write, .write = write};
    int ready = platform_wait_for_sockets(&watch, 1, store_slice_end(patience));
    if (ready > 0) return true;
    if (store_is_over(patience, failure)) return false;
  }
}

static bool send_all(store_client *client, const store_patience *patience,
                     tocha_store_failure *failure) {
  if (client->out.failed) {
    client->out = (store_buffer){.bytes = client->out.bytes, .capacity = client->out.capacity};
    return store_no_memory(failure);
  }
  for (size_t sent = 0; sent < client->out.size;) {
    int64_t size = platform_send(client->socket, client->out.bytes + sent, client->out.size - sent);
    if (size < 0 && !platform_would_wait()) return lose(client, failure);
    if (size > 0)
      sent += (size_t)size;
    else if (!wait_for(client, true, patience, failure))
      return false;
  }
  client->out.size = 0;
  return true;
}

/* Receives what is there. Returns false if the connection was lost. */
static bool receive(store_client *client, tocha_store_failure *failure) {
  char chunk[CHUNK];
  int64_t size = platform_receive(client->socket, chunk, sizeof chunk);
  if (size == 0 || (size < 0 && !platform_would_wait())) return lose(client, failure);
  if (size > 0) store_put(&client->in, chunk, (size_t)size);
  if (!client->in.failed) return true;
  client->in.failed = false;
  return store_no_memory(failure);
}

static bool receive_answer(store_client *client, store_call *call, const store_patience *patience,
                           tocha_store_failure *failure) {
  while (wire_read_answer(client->in.bytes, client->in.size, call) != WIRE_COMPLETE) {
    if (!wait_for(client, false, patience, failure)) return false;
    if (!receive(client, failure)) return false;
  }
  client->in.size = 0;
  return !call->answer.texts.failed || store_no_memory(failure);
}

/* --- connecting ------------------------------------------------------------------------------------- */

/* Sends the first bytes of the protocol, and receives the answer to a ping. */
static bool greet(store_client *client, const store_patience *patience,
                  tocha_store_failure *failure) {
  uint32_t nonce = (uint32_t)platform_process_number();
  store_call validate = {.operation = STORE_VALIDATE, .number = WIRE_MAGIC};
  store_call ping = {.operation = STORE_PING, .number = nonce};
  wire_put_call(&client->out, &validate, "");
  wire_put_call(&client->out, &ping, "");
  if (!send_all(client, patience, failure)) return false;
  if (!receive_answer(client, &ping, patience, failure)) return false;
  if ((uint32_t)ping.answer.number == nonce) return true;
  return store_fail(failure, TOCHA_STORE_UNREACHED,
                    "Ping failed, invalid value returned from server. Expected: %" PRIu32
                    ", got: %" PRId64,
                    nonce, ping.answer.number);
}

/* Tries one address. Returns false with a reason. */
static bool try_endpoint(store_client *client, const platform_endpoint *endpoint,
                         const store_patience *patience, char *reason,
                         tocha_store_failure *failure) {
  client->socket = platform_begin_connect(endpoint);
  bool waited = client->socket >= 0 && wait_for(client, true, patience, failure);
  bool connected = waited && platform_is_connected(client->socket);
  if (!connected && (waited || client->socket < 0))
    snprintf(reason, STORE_REASON, "%s", strerror(errno));
  else if (!connected)
    snprintf(reason, STORE_REASON, "it does not answer");
  if (connected && greet(client, patience, failure)) return true;
  if (connected && failure->kind == TOCHA_STORE_TIMED_OUT)
    snprintf(reason, STORE_REASON, "what listens there does not answer as a store does");
  else if (connected)
    snprintf(reason, STORE_REASON, "what listens there is no or has ended: %.100s",
             failure->message);
  drop(client);
  client->lost = false;
  return false;
}

static bool try_host(store_client *client, const store_patience *patience, char *reason,
                     tocha_store_failure *failure) {
  platform_endpoint endpoints[STORE_ENDPOINTS];
  int count = store_resolve(client->host, client->port, patience, endpoints, reason, failure);
  for (int i = 0; i < count; i++)
    if (try_endpoint(client, &endpoints[i], patience, reason, failure)) return true;
  return false;
}

/* Sleeps, and looks at interrupts meanwhile. Returns false if the call is over. */
static bool pause(int64_t nanoseconds, const store_patience *patience,
                  tocha_store_failure *failure) {
  int64_t end = platform_nanoseconds() + nanoseconds;
  for (;;) {
    if (store_is_over(patience, failure)) return false;
    int64_t now = platform_nanoseconds(), slice = store_slice_end(patience);
    if (now >= end) return true;
    platform_sleep((slice < end ? slice : end) - now);
  }
}

bool store_client_connect(store_client *client, const store_patience *patience,
                          tocha_store_failure *failure) {
  int64_t begin = platform_nanoseconds(), wait = first_pause;
  char reason[STORE_REASON] = "";
  *failure = (tocha_store_failure){0};
  while (!try_host(client, patience, reason, failure)) {
    if (pause(wait, patience, failure)) {
      wait = wait * 2 < longest_pause ? wait * 2 : longest_pause;
      continue;
    }
    if (failure->kind != TOCHA_STORE_TIMED_OUT) return false;
    store_fail(
        failure, TOCHA_STORE_UNREACHED,
        "The client socket has timed out after %" PRId64 "ms while trying to connect to (%s, %d).",
        (patience->deadline - begin + millisecond / 2) / millisecond, client->host, client->port);
    store_hint(failure,
               "%s. Rank 0, or the launcher, has to run on host %s with the same MASTER_PORT; a "
               "firewall must let it be reached",
               reason, client->host);
    return false;
  }
  return true;
}

/* --- calls ------------------------------------------------------------------------------------------ */

/* Takes a wait back. Returns true if its answer had been sent before: then the cancellation's own answer follows it. */
static bool cancel(store_client *client) {
  store_patience patience = {.deadline = platform_nanoseconds() + cancel_time};
  store_call call = {.operation = STORE_CANCEL_WAIT};
  tocha_store_failure failure;
  wire_put_call(&client->out, &call, "");
  bool open = send_all(client, &patience, &failure);
  store_buffer *in = &client->in;
  while (open && (in->size == 0 || (in->bytes[0] == WIRE_GO_ON && in->size == 1)))
    open = wait_for(client, false, &patience, &failure) && receive(client, &failure);
  bool went_on = open && in->bytes[0] == WIRE_GO_ON;
  in->size = 0;
  if (!open) drop(client);
  return went_on;
}

bool store_client_call(store_client *client, store_call *call, const char *prefix,
                       const store_patience *patience, tocha_store_failure *failure) {
  if (client->lost) return lose(client, failure);
  if (client->socket < 0 && !store_client_connect(client, patience, failure)) return false;
  wire_put_call(&client->out, call, prefix);
  bool sent = send_all(client, patience, failure);
  if (sent &&
      (!wire_has_answer(call->operation) || receive_answer(client, call, patience, failure)))
    return true;
  if (client->socket < 0) return false;
  bool waits = call->operation == STORE_WAIT || call->operation == STORE_BARRIER;
  if (sent && waits && !client->is_brief && client->in.size == 0 &&
      failure->kind != TOCHA_STORE_CLOSED)
    return cancel(client) && failure->kind == TOCHA_STORE_TIMED_OUT;
  drop(client); /* an answer may still come, which no later call must take for its own */
  return false;
}
