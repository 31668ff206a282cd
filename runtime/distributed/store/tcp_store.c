/* tcp_store.c: TCPStore: values in a process that serves them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/address.h"
#include "distributed/store/client.h"
#include "distributed/store/names.h"
#include "distributed/store/tcp_server.h"
#include "platform/platform.h"

typedef struct tcp_store {
  tocha_store head;
  store_client client;
  store_server *server; /* NULL: in another process */
  char *host;           /* as it was given */
  platform_mutex lock;
} tcp_store;

static const char prefix[] = "/";           /* of all names but this one: */
static const char workers_name[] = "init/"; /* the number of those who came */
static const int64_t second = 1000000000, millisecond = 1000000;

/* --- calls ------------------------------------------------------------------------------------------ */

static bool is_wait(const store_call *call) {
  return call->operation == STORE_GET || call->operation == STORE_MULTI_GET ||
         call->operation == STORE_WAIT || (call->operation == STORE_QUEUE_POP && call->number);
}

/* Words a failure to wait: PyTorch names all keys, with the prefix. */
static void word_timeout(const store_call *call, int64_t waited, tocha_store_failure *failure) {
  char keys[400];
  size_t at = 0;
  bool barrier = call->operation == STORE_BARRIER;
  for (int i = 0; i < call->count && at + 8 < sizeof keys; i++)
    at += (size_t)snprintf(keys + at, sizeof keys - at, "%s%s%.*s", i ? ", " : "",
                           barrier ? "" : prefix, (int)call->names[i].size, call->names[i].bytes);
  store_fail(failure, TOCHA_STORE_TIMED_OUT, "%s timeout after %" PRId64 "ms, %s: %s",
             barrier ? "barrier" : "wait", (waited + millisecond / 2) / millisecond,
             barrier ? "key" : "keys", call->count ? keys : "");
}

static bool exchange(tcp_store *tcp, store_call *call, const store_patience *patience,
                     tocha_store_failure *failure) {
  int64_t begin = platform_nanoseconds();
  bool waits = call->operation == STORE_WAIT || call->operation == STORE_BARRIER;
  if (store_client_call(&tcp->client, call, prefix, patience, failure)) return true;
  if (waits && failure->kind == TOCHA_STORE_TIMED_OUT)
    word_timeout(call, patience->deadline - begin, failure);
  else if (call->operation == STORE_ADD && failure->kind == TOCHA_STORE_CLOSED)
    store_hint(failure,
               "the server at %s, port %d, has ended, or it closed the connection since the value "
               "of '%.*s' is no number",
               tcp->client.host, tcp->client.port, (int)call->names[0].size, call->names[0].bytes);
  return false;
}

static bool call_locked(tcp_store *tcp, store_call *call, const store_patience *patience,
                        tocha_store_failure *failure) {
  bool pops = call->operation == STORE_QUEUE_POP;
  for (;;) {
    if (is_wait(call)) {
      store_call wait = {.operation = STORE_WAIT, .count = call->count, .names = call->names};
      if (wait.count && !exchange(tcp, &wait, patience, failure)) return false;
    }
    if (call->operation == STORE_WAIT || (call->operation == STORE_MULTI_GET && !call->count))
      return true;
    if (!exchange(tcp, call, patience, failure)) return false;
    if (!pops || !call->number || call->answer.count) break; /* else another one took the value */
  }
  return call->operation != STORE_LIST_KEYS || store_strip_answer(call, prefix, failure);
}

static bool call_tcp(tocha_store *store, store_call *call, const store_patience *patience,
                     tocha_store_failure *failure) {
  tcp_store *tcp = (tcp_store *)store;
  platform_lock(&tcp->lock);
  bool done = call_locked(tcp, call, patience, failure);
  platform_unlock(&tcp->lock);
  return done;
}

/* --- opening ---------------------------------------------------------------------------------------- */

static void close_tcp(tocha_store *store) {
  tcp_store *tcp = (tcp_store *)store;
  store_client_close(&tcp->client);
  store_server_close(tcp->server);
  platform_mutex_close(&tcp->lock);
  free(tcp->host);
}

static tocha_store *clone_tcp(tocha_store *store, int64_t deadline, tocha_store_failure *failure);

static const store_kind kind = {"TCPStore", true, true, call_tcp, clone_tcp, close_tcp};

static tcp_store *new_tcp(const char *host, int port, double timeout,
                          tocha_store_failure *failure) {
  tcp_store *tcp = (tcp_store *)store_new(&kind, sizeof(tcp_store), timeout, failure);
  if (!tcp) return NULL;
  size_t size = strlen(host) + 1;
  tcp->host = malloc(size);
  if (!tcp->host || !platform_mutex_open(&tcp->lock)) {
    free(tcp->host);
    free(tcp);
    store_no_memory(failure);
    return NULL;
  }
  memcpy(tcp->host, host, size);
  tcp->client = (store_client){.host = tcp->host, .port = port, .socket = -1};
  return tcp;
}

/* Connects until the deadline, after which the connection is not used; 0: until the store's own timeout. */
static tocha_store *connect_until(const char *host, int port, double timeout, int64_t deadline,
                                  tocha_store_failure *failure) {
  tcp_store *tcp = new_tcp(host, port, timeout, failure);
  if (!tcp) return NULL;
  store_patience patience = {.deadline = deadline};
  if (!deadline) patience.deadline = platform_nanoseconds() + atomic_load(&tcp->head.timeout);
  tcp->client.is_brief = deadline != 0;
  if (store_client_connect(&tcp->client, &patience, failure)) return &tcp->head;
  tocha_store_free(&tcp->head);
  return NULL;
}

tocha_store *store_connect(const char *host, int port, double timeout,
                           tocha_store_failure *failure) {
  return connect_until(host, port, timeout, 0, failure);
}

static tocha_store *clone_tcp(tocha_store *store, int64_t deadline, tocha_store_failure *failure) {
  const tcp_store *tcp = (const tcp_store *)store;
  return connect_until(tcp->client.host, tcp->client.port, tocha_store_timeout(store), deadline,
                       failure);
}

/* Counts this process among those who came and, in the one that serves, waits for the others. */
static bool meet_workers(tcp_store *tcp, int world_size, const store_patience *patience,
                         tocha_store_failure *failure) {
  store_text name = {workers_name, sizeof workers_name - 1};
  store_call add = {.operation = STORE_ADD, .count = 1, .names = &name, .number = 1};
  int64_t begin = platform_nanoseconds(), pause = millisecond, joined = 0;
  for (;;) {
    if (!store_client_call(&tcp->client, &add, "", patience, failure)) break;
    joined = add.answer.number;
    if (!tcp->server || joined >= world_size) return true;
    if (store_is_over(patience, failure)) break;
    platform_sleep(pause);
    pause = pause < 20 * millisecond ? pause * 2 : pause;
    add.number = 0;
  }
  if (failure->kind != TOCHA_STORE_TIMED_OUT) return false;
  int64_t seconds = (platform_nanoseconds() - begin + second / 2) / second;
  store_fail(failure, TOCHA_STORE_TIMED_OUT,
             "Timed out after %" PRId64 " seconds waiting for clients. %" PRId64
             "/%d clients joined.",
             seconds, joined, world_size);
  store_hint(failure,
             "start the other %" PRId64
             ", with host_name and port of this one (port %d), or wait longer: timeout = ...",
             world_size - joined, tcp->client.port);
  return false;
}

static bool open_tcp(tcp_store *tcp, int world_size, bool is_server, bool wait_for_workers,
                     const store_patience *patience, tocha_store_failure *failure) {
  if (is_server) {
    tcp->server = store_server_open(tcp->client.port, tocha_is_loopback_name(tcp->host), failure);
    if (!tcp->server) return false;
    tcp->client.port = store_server_port(tcp->server);
    tcp->client.host =
        "127.0.0.1"; /* always this way: the host's own name may lead elsewhere, or nowhere */
  }
  if (!store_client_connect(&tcp->client, patience, failure)) return false;
  return !wait_for_workers || world_size <= 0 || meet_workers(tcp, world_size, patience, failure);
}

tocha_store *tocha_tcp_store_new(tocha_context *cx, const char *host, int port, int world_size,
                                 bool is_server, double timeout, bool wait_for_workers) {
  if (!cx || tocha_failed(cx)) return NULL;
  if (!host || !host[0])
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "a TCPStore needs the name of a host");
  if (port < 0 || port > 65535)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "port must have value from 0 to 65535 but was %d.",
                      port);
  if (is_server && (tocha_refused(cx) & TOCHA_REFUSE_THREADS))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "a TCPStore serves on a thread, and this context starts none");
  if (world_size == 0) return tocha_fail(cx, TOCHA_VALUE_ERROR, "TCPStore world size cannot be 0");
  tocha_store_failure failure;
  tcp_store *tcp = new_tcp(host, port, timeout, &failure);
  if (!tcp) return store_raise(cx, &failure);
  store_patience patience = {.deadline = platform_nanoseconds() + atomic_load(&tcp->head.timeout),
                             .cx = cx};
  if (open_tcp(tcp, world_size, is_server, wait_for_workers, &patience, &failure))
    return &tcp->head;
  tocha_store_free(&tcp->head);
  return store_raise(cx, &failure);
}

bool store_serves(const tocha_store *store) {
  store = store_innermost(store);
  return store->kind == &kind && ((const tcp_store *)store)->server;
}

int tocha_tcp_store_port(const tocha_store *store) {
  return store && store->kind == &kind ? ((const tcp_store *)store)->client.port : 0;
}

const char *tocha_tcp_store_host(const tocha_store *store) {
  return store && store->kind == &kind ? ((const tcp_store *)store)->host : "";
}
