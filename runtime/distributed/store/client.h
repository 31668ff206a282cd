/* client.h: a connection to a server of the protocol of PyTorch's TCPStore. */
#ifndef TOCHA_STORE_CLIENT_H
#define TOCHA_STORE_CLIENT_H

#include "distributed/store/kinds.h"

typedef struct store_client {
  const char *host; /* of the owner */
  int port;
  int socket;    /* -1: to be connected when it is next used */
  bool lost;     /* the server has closed the connection */
  bool is_brief; /* it is closed by a wait that times out */
  store_buffer out, in;
} store_client;

/* Connects, again and again until the patience of `store` ends. */
bool store_client_connect(store_client *client, const store_patience *patience,
                          tocha_store_failure *failure);
void store_client_close(store_client *client);
/* Sends a call, its names with `prefix`, and receives its answer. A wait or a barrier that must end early is canceled, so that
 * the connection can be used again, unless it is brief. */
bool store_client_call(store_client *client, store_call *call, const char *prefix,
                       const store_patience *patience, tocha_store_failure *failure);

#endif
