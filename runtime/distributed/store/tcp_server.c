/* tcp_server.c: the server's thread: it accepts connections, waits for all of them at once, and ends. */
#include "distributed/store/tcp_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/connections.h"
#include "platform/platform.h"

struct store_server {
  platform_thread thread;
  int64_t process; /* that the thread belongs to; a fork's child has none */
  int port, listeners[2], listener_count;
  int wake[2]; /* a pipe: a byte ends the thread */
  store_connections *connections;
  platform_watch *watches;
  int watch_capacity;
  int64_t accept_after; /* no file could be opened for a connection: the time to try again */
};

enum { OWN_WATCHES = 3 }; /* before those of the connections: the pipe, the listeners */
/* Nanoseconds. */
enum { PAUSE_WITHOUT_FILES = 100000000, STAY_FOR_VISITORS = 1000000000 };

/* Accepts all connections that wait. */
static void accept_all(store_server *server, int listener) {
  for (;;) {
    int socket = platform_accept(listener);
    if (socket < 0 && platform_out_of_files())
      server->accept_after = platform_nanoseconds() + PAUSE_WITHOUT_FILES;
    if (socket < 0) return;
    store_connections_add(server->connections, socket);
  }
}

/* Fills the list of what to wait for. Returns its length, 0 for lack of memory. */
static int list_watches(store_server *server) {
  int count = OWN_WATCHES + store_connections_count(server->connections);
  if (count > server->watch_capacity) {
    platform_watch *grown = realloc(server->watches, (size_t)count * 2 * sizeof *grown);
    if (!grown) return 0;
    server->watches = grown, server->watch_capacity = count * 2;
  }
  bool accepts = platform_nanoseconds() >= server->accept_after;
  server->watches[0] = (platform_watch){.socket = server->wake[0], .read = true};
  for (int i = 0; i < 2; i++)
    server->watches[1 + i] = (platform_watch){
        .socket = i < server->listener_count ? server->listeners[i] : -1, .read = accepts};
  store_connections_watch(server->connections, server->watches + OWN_WATCHES);
  return count;
}

/* Serves until a byte comes through the pipe. Then only ranks that meet are served, which still have to hear of the outcome. */
static void *serve(void *user) {
  store_server *server = user;
  int64_t leave = INT64_MAX;
  for (;;) {
    int64_t end = store_connections_deadline(server->connections), now = platform_nanoseconds();
    if (server->accept_after > now && server->accept_after < end) end = server->accept_after;
    int count = list_watches(server);
    if (leave < INT64_MAX) server->watches[0].read = false;
    int ready =
        count ? platform_wait_for_sockets(server->watches, count, end < leave ? end : leave) : -1;
    if (ready < 0) { /* short of memory */
      platform_sleep(PAUSE_WITHOUT_FILES);
      if (platform_wait_for_input(server->wake[0], 0)) break;
      continue;
    }
    if (server->watches[0].ready_to_read) leave = platform_nanoseconds() + STAY_FOR_VISITORS;
    store_connections_serve(server->connections, server->watches + OWN_WATCHES);
    for (int i = 0; i < server->listener_count; i++)
      if (server->watches[1 + i].ready_to_read) accept_all(server, server->listeners[i]);
    if (leave < INT64_MAX &&
        (platform_nanoseconds() >= leave || !store_connections_have_visitors(server->connections)))
      break;
  }
  return NULL;
}

static void free_server(store_server *server) {
  for (int i = 0; i < server->listener_count; i++) platform_close(server->listeners[i]);
  for (int i = 0; i < 2; i++)
    if (server->wake[i] >= 0) platform_close(server->wake[i]);
  store_connections_free(server->connections);
  free(server->watches);
  free(server);
}

static bool listen_at(store_server *server, bool loopback_only, tocha_store_failure *failure) {
  int count = platform_listen(&server->port, loopback_only, server->listeners);
  if (count > 0) {
    server->listener_count = count;
    return true;
  }
  int reason = errno;
  bool taken = platform_port_is_taken();
  store_fail(failure, TOCHA_STORE_UNREACHED,
             "The server socket has failed to listen on any local network address. port: %d, "
             "useIpv6: false, "
             "code: -%d, name: %s, message: %s",
             server->port, reason, taken ? "EADDRINUSE" : "EUNKNOWN",
             taken ? "address already in use" : strerror(reason));
  if (taken)
    store_hint(failure,
               "another program listens on port %d: `ss -ltnp 'sport = :%d'` names it. If it is an "
               "earlier run of this one, end it; "
               "else choose another port (MASTER_PORT)",
               server->port, server->port);
  return false;
}

store_server *store_server_open(int port, bool loopback_only, tocha_store_failure *failure) {
  store_server *server = calloc(1, sizeof *server);
  if (!server) {
    store_no_memory(failure);
    return NULL;
  }
  server->port = port;
  server->wake[0] = server->wake[1] = -1;
  server->process = platform_process();
  server->connections = store_connections_new();
  bool opened = listen_at(server, loopback_only, failure);
  if (opened && (!server->connections || !platform_open_pipe(server->wake) ||
                 !platform_start_thread(&server->thread, 0, serve, server))) {
    store_fail(failure, TOCHA_STORE_BROKEN,
               "The server of a TCPStore could not start its thread: %s", strerror(errno));
    opened = false;
  }
  if (opened) return server;
  free_server(server);
  return NULL;
}

int store_server_port(const store_server *server) { return server->port; }

void store_server_close(store_server *server) {
  if (!server) return;
  if (server->process == platform_process() && platform_write(server->wake[1], "", 1))
    platform_join_thread(&server->thread);
  free_server(server);
}
