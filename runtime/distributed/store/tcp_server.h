/* tcp_server.h: the server of a TCPStore: one thread that serves all connections. */
#ifndef TOCHA_STORE_TCP_SERVER_H
#define TOCHA_STORE_TCP_SERVER_H

#include "distributed/store/kinds.h"

typedef struct store_server store_server;

/* Begins to serve on a port; 0: a free one. Returns NULL with a failure. */
store_server *store_server_open(int port, bool loopback_only, tocha_store_failure *failure);
int store_server_port(const store_server *server);
/* Closes all connections and ends the thread. Waits up to a second for ranks that meet and have not closed theirs. NULL is
 * allowed. */
void store_server_close(store_server *server);

#endif
